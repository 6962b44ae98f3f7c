cat > try.sh <<'END'
source "$DATA/../../docs/completion/actgen.bash"
try() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=(); _actgen; echo "${COMPREPLY[@]}"; }
try actgen ver
try actgen verify --exh
try actgen compile -
try actgen run gelu_
END
mkdir empty && cd empty && DATA="$DATA" bash ../try.sh
--- exit 0
--- stdout
verify
--exhaustive
--accuracy *--no-cache* --help
gelu_tanh gelu_sigmoid gelu_new gelu_fast gelu_pytorch_tanh
