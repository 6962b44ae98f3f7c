actgen verify gelu --exhausting
--- exit 2
--- stdout
--- stderr
actgen: error: there is no option '--exhausting'; did you mean '--exhaustive'?
usage: actgen verify WHAT... | --all | --merge FILE... [OPTION...]
actgen help verify says more.
