actgen show relu --accuracy '3 upl' --stage spec
--- exit 1
--- stdout
--- stderr
--accuracy:1:3: error: *
    1 | 3 upl
      |   ^~~
