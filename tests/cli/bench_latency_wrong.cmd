# Compiling has no inputs and no shapes, so each option that gives them is refused by name.
for o in --interval=-1,1 '-n 100' '--rows 2' '--cols 2' '--stride 8' --details; do actgen bench relu --latency $o; echo $?; done
--- exit 0
--- stdout
2
2
2
2
2
2
--- stderr
actgen: error: --latency times compiling, which --interval does not change: leave one of them out
usage: actgen bench WHAT... | --all [OPTION...]
actgen help bench says more.
actgen: error: --latency times compiling, which -n does not change: leave one of them out
usage: actgen bench WHAT... | --all [OPTION...]
actgen help bench says more.
actgen: error: --latency times compiling, which --rows does not change: leave one of them out
usage: actgen bench WHAT... | --all [OPTION...]
actgen help bench says more.
actgen: error: --latency times compiling, which --cols does not change: leave one of them out
usage: actgen bench WHAT... | --all [OPTION...]
actgen help bench says more.
actgen: error: --latency times compiling, which --stride does not change: leave one of them out
usage: actgen bench WHAT... | --all [OPTION...]
actgen help bench says more.
actgen: error: --latency times compiling, which --details does not change: leave one of them out
usage: actgen bench WHAT... | --all [OPTION...]
actgen help bench says more.
