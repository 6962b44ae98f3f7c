# The manual page has every command and every option.
page=$DATA/../../docs/actgen.1
for c in $(actgen --help | sed -n 's/^  \([a-z]*\)  *[A-Z].*/\1/p'); do
    grep -q "^\.It Cm $c\$" "$page" || echo "no command $c"
    [ $c = help ] || actgen help $c options | sed -n 's/^  \(-[a-zA-Z], \)*--*\([a-z-]*\) .*/\2/p'
done | sort -u | while read -r word; do
    case $word in 'no command'*) echo "$word"; continue;; esac
    grep -q -e "Fl -$word\b" -e "Fl $word\b" "$page" || echo "no option $word"
done
--- exit 0
--- stdout
--- stderr
