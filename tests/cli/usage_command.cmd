actgen verfy gelu
--- exit 2
--- stdout
--- stderr
actgen: error: there is no command 'verfy'; did you mean 'verify'?
...
