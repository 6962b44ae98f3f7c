#!/bin/sh
# judge.sh SOURCE PROGRAM PART [NAME...]: judges built-ins by scripts/judge, one input in PART. Then sees the judge find
# a fault: a kernel of a loose bound, judged by a strict one.
source=$1 program=$2 part=$3
shift 3
if ! command -v python3 >/dev/null; then
    echo "SKIPPED: no python3 here"
    exit 77
fi
judge() { python3 "$source/scripts/judge" --actgen "$program" --jobs 1 "$@"; }
judge --part "$part" "$@" || exit
found=$(judge --part 65536 --accuracy "50 ulp" tanh)
case $? in
1) ;;
*) echo "the judge does not see the errors of a loose bound" && exit 1 ;;
esac
printf '%s' "$found" | grep -q '^beyond the bound: v_tanh:' || { echo "$found" && exit 1; }
