#!/bin/sh
# faults.sh SOURCE PROGRAM LIBRARY FOLDER: makes calls of the system fail, one by one, in commands of the program.
# LIBRARY is faults.c. The result is right, or the command says what failed. A file is the old one or the new one, never
# a part of it, and no temporary is left. The next run, without a fault, gives what a run without any fault gives.
# ACTGEN_TEST_ALL in the environment takes all calls, else the first three and the last two of each kind.
source=$1 actgen=$2 library=$3 folder=$4
rm -rf "$folder" && mkdir -p "$folder" && cd "$folder" || exit 1
unset ACTGEN_CACHE_DIR
export XDG_CACHE_HOME="$folder/home"
faults=0 failures=0

fail() { # what...
    echo "FAILED: $name, FAULT=\"$fault\": $*"
    failures=$((failures + 1))
}

# Runs the command of a case in the folder `here`. What it makes is in `out` (a file), `said` and `code`.
run() {
    (cd here && eval "$command") >said 2>errors
    code=$?
}

# Compares what a run made with what a run without a fault made.
is_right() { [ $code -eq 0 ] && cmp -s said right.said && { [ ! -e right.out ] || cmp -s here/out right.out; }; }

begin() { # makes the folder as the command finds it
    rm -rf here "$XDG_CACHE_HOME" && mkdir here
    (cd here && eval "$before") >/dev/null 2>&1
}

try_fault() { # call, number, kind
    fault="$1 $2${3:+ $3}"
    faults=$((faults + 1))
    begin
    [ -e right.out ] && printf 'the old one' >here/out
    FAULT=$fault LD_PRELOAD=$library run
    if [ $code -gt 125 ] || grep -q 'internal error' errors; then fail "ended with $code: $(cat errors)"
    elif [ $code -ne 0 ]; then
        grep -q 'error: ' errors || fail "ended with $code and says: $(cat errors)"
        if [ -e right.out ] && ! cmp -s here/out right.out && [ "$(cat here/out)" != 'the old one' ]; then
            fail "left a part of its file"
        fi
    elif ! is_right; then fail "is wrong: $(cat said errors | tail -n 3)"
    fi
    if ls -R here home 2>/dev/null | grep -q -e '\.tmp$' -e '^new\.'; then fail "left a temporary"; fi
    unset FAULT
    run
    is_right || fail "the next run is wrong, with $code: $(cat said errors | tail -n 3)"
}

try_case() { # name, what comes before, command
    name=$1 before=$2 command=$3 fault=
    rm -f right.out counts
    begin
    FAULT_COUNTS=$folder/counts LD_PRELOAD=$library run
    cp said right.said
    [ -e here/out ] && cp here/out right.out
    unset FAULT_COUNTS
    if [ $code -ne 0 ]; then fail "$(cat said errors)" && return; fi
    while read -r call count <&3; do
        [ "$call" = malloc ] && continue # test_elsewhere: a library of others may end the process
        n=0
        while [ $((n += 1)) -le "$count" ]; do
            [ -z "$ACTGEN_TEST_ALL" ] && [ $n -gt 3 ] && [ $n -le $((count - 2)) ] && continue
            try_fault "$call" $n
            case $call in read | write) try_fault "$call" $n short ;; esac
        done
    done 3<counts
}

cat >input.act <<'END'
kernel k(x: f32) -> (y: f32) { y = max(x, 0)*2 + abs(x) }
END
try_case compile : '"$actgen" compile ../input.act --isa x86-64 -o out --no-cache'
try_case cold_cache : '"$actgen" compile ../input.act --isa x86-64 -o out'
try_case warm_cache '"$actgen" compile ../input.act --isa x86-64 -o /dev/null' '"$actgen" compile ../input.act --isa x86-64 -o out'
try_case run : '"$actgen" run ../input.act --in "$source/examples/data/activations.npy" --out out --no-cache'
try_case resume : '"$actgen" verify relu --type e4m3 --isa x86-64 --exhaustive --no-cache --resume journal'
try_case resumed 'ulimit -f 1; "$actgen" verify relu --type e4m3 --isa x86-64 --exhaustive --no-cache --resume journal' \
    '"$actgen" verify relu --type e4m3 --isa x86-64 --exhaustive --no-cache --resume journal'
# A race may have another winner each time, so the plans are compiled. The engine finds them by the file's name.
try_case tune : '"$actgen" tune ../input.act --isa x86-64 --no-cache --export out.plans >/dev/null &&
    "$actgen" compile ../input.act --isa x86-64 --no-cache --plans out.plans -o /dev/null && echo good'

echo "$faults faults, $failures failures"
[ $failures -eq 0 ] && [ $faults -gt 100 ]
