#!/bin/sh
# mutate.sh SOURCE BUILD: compares the faults that scripts/mutate finds in subject.c with faults.txt. Compares its
# tables with the sources and with the tests of the build.
if ! command -v python3 >/dev/null; then
    echo "SKIPPED: no python3 here"
    exit 77
fi
cd "$1/tests/mutate" && python3 "$1/scripts/mutate" --list subject.c | diff faults.txt - && python3 "$1/scripts/mutate" --check "$2"
