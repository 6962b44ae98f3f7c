actgen show gelu --stage lanes
--- exit 2
--- stdout
--- stderr
actgen: error: there is no stage 'lanes'; did you mean 'lane'?
...
