actgen show gelu --stage foo; actgen show gelu --stage lanes
--- exit 2
--- stdout
--- stderr
actgen: error: there is no stage 'foo': the stages are spec, expr, plan, lane, ir, asm, c and libm
...
actgen: error: there is no stage 'lanes'; did you mean 'lane'?
...
