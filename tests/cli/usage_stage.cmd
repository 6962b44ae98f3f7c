actgen show gelu --stage lan
--- exit 2
--- stdout
--- stderr
actgen: error: there is no stage 'lan'; did you mean 'lane'?
...
