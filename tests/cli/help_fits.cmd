# Each help has at most 80 columns and 40 lines, and names the command and --json.
commands=$(actgen --help | sed -n 's/^  \([a-z]*\)  *[A-Z].*/\1/p')
for c in '' options $(for c in $commands; do [ $c = help ] || echo "$c $c+options"; done); do
    actgen help $(echo $c | tr + ' ') > text || echo "no help for $c"
    awk -v c="$c" 'length > 80 { print c ": " $0 } END { if (NR > 40) print c ": " NR " lines" }' text
    case $c in *[a-z]) grep -q -e --json text || echo "$c has no --json";; esac
done
echo $commands
--- exit 0
--- stdout
list eval verify compile run bench check show tune plot report fit help
--- stderr
