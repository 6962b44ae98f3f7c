actgen verify --all --accuracy '3 upl'
--- exit 1
--- stdout
--- stderr
--accuracy:1:3: error: *
    1 | 3 upl
      |   ^~~
