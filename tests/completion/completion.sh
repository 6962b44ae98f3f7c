#!/bin/sh
# completion.sh SHELL ACTGEN FOLDER: tests that the shell completes lines, as if a user typed them and pressed Tab.
# try.SHELL gets a line as its argument and prints the results, one possibility per line. Exit code 77: the shell is not
# installed.
here=$(cd "$(dirname "$0")" && pwd) shell=$1 folder=$3
command -v "$shell" >/dev/null || { echo "SKIPPED: $shell is not installed"; exit 77; }
PATH=$(dirname "$2"):$PATH HOME=$folder COMPLETIONS=$here/../../docs/completion
export PATH HOME COMPLETIONS
rm -rf "$folder" && mkdir -p "$folder" && cd "$folder" || exit 1
failed=0
expect() { # line, a possibility that must be there, one that must not be there
    said=$("$shell" "$here/try.$shell" "$1" | tr -d '\r')
    if printf '%s\n' "$said" | grep -qxF -e "$2" && ! printf '%s\n' "$said" | grep -qxF -e "${3:-no such}"; then return; fi
    printf 'FAILED: %s: "%s" is completed to\n%s\nwithout %s, or with %s\n' "$shell" "$1" "$said" "$2" "${3:-}"
    failed=1
}
expect 'actgen ver' verify
expect 'actgen verify --exh' --exhaustive
expect 'actgen verify --res' --resume
expect 'actgen verify --mem' --memory-limit
expect 'actgen ev' eval
expect 'actgen run gelu_tan' gelu_tanh
expect 'actgen show gelu --stage la' lane spec
expect 'actgen show gelu --isa wa' wasm gelu
expect 'actgen show gelu --isa neon,wa' neon,wasm wasm
expect 'actgen show gelu --type bf' bf16 f32
expect 'actgen show gelu --profile portable-' portable-nofma portable
expect 'actgen compile gelu --format ma' macho elf
expect 'actgen show gelu --tune sif' sifive-p670 zen5
expect 'actgen help veri' verify
expect 'actgen help la' language laplace
expect 'actgen help op' options
: > relief # a file; a bound is no built-in
expect 'actgen verify --accuracy rel' relief relu
exit $failed
