#!/usr/bin/env bash
# first.sh FOLDER [PROCESSES]: prints a table in Markdown of the medians over new processes (201) of the programs
# first_* in FOLDER.
set -euo pipefail
folder=$1 processes=${2:-201}
cache=$(mktemp -d)
trap 'rm -rf "$cache"' EXIT

# row NAME PROGRAM: prints a row. The program has run once before, so that its files are in memory and the cache is
# full.
row() {
    local column line="| $1 |"
    "$2" >/dev/null
    for ((i = 0; i < processes; i++)); do "$2"; done >"$cache/times"
    for column in 1 2 3 4; do
        line+=" $(cut -d ' ' -f $column "$cache/times" | sort -g | sed -n "$(((processes + 1) / 2))p") |"
    done
    echo "$line"
}

echo "| us, medians of $processes new processes | first kernel (gelu) | further (silu) | further (tanh) | the first again |"
echo "|---|--:|--:|--:|--:|"
ACTGEN_CACHE_DIR=$cache/actgen row "actgen, disk cache" "$folder/first_actgen"
if [ -x "$folder/first_onednn" ]; then row "oneDNN" "$folder/first_onednn"; fi
processes=$(((processes + 9) / 10))
ACTGEN_CACHE_DIR='' row "actgen, no cache ($processes)" "$folder/first_actgen"
