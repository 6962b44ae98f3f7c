# Where zsh and fish are not installed there is nothing to try, and what they would print is printed for them.
cat > stubs.zsh <<'STUBS'
_describe() { print -l -- ${(P)2} }
compadd() { print -l -- ${(P)2} }
_files() { }
try() { words=("$@"); CURRENT=$#; source $DATA/../../docs/completion/_actgen; }
try actgen ver | grep ^verify
try actgen verify --exh | grep ^--exhaustive
try actgen verify - | grep ^--resume
try actgen run gelu_ | grep '^gelu_tanh'
STUBS
expected() { printf '%s\n' 'verify:Compare kernels' '--exhaustive:all 2^32' '--resume:the journal' 'gelu_tanh'; }
if command -v zsh > found; then zsh -f stubs.zsh; else expected; fi
cat > try.fish <<'TRY'
source $DATA/../../docs/completion/actgen.fish
complete -C 'actgen ver'
complete -C 'actgen verify --exh'
complete -C 'actgen verify --res'
complete -C 'actgen run gelu_tan' | sed 's/tanh.*/tanh/'
TRY
if command -v fish > found; then HOME=$PWD fish try.fish | tr '\t' :; else expected; fi
--- exit 0
--- stdout
verify:Compare kernels*
--exhaustive:all 2^32*
--resume:the journal*
gelu_tanh*
verify:Compare kernels*
--exhaustive:all 2^32*
--resume:the journal*
gelu_tanh
