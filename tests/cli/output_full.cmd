actgen list > /dev/full
--- exit 3
--- stdout
--- stderr
actgen: error: cannot write to the standard output*
