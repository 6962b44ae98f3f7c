# The commands of docs/new_activation.md print what the page says.
doc=$DATA/../../docs/new_activation.md
awk '/^```act/ { on = 1; next } /^```/ { on = 0 } on' "$doc" > bend.act
awk '/^```text/ { on = 1; next } /^```/ { on = 0 } on' "$doc" > wanted
sed -n 's/^[$] //p' wanted > commands
while read -r line; do printf '$ %s\n' "$line"; eval "$line"; done < commands > got
diff wanted got && wc -l < commands && grep -c tanhexp_glu bend.h > count && ls bend.o
--- exit 0
--- stdout
5
bend.o
--- stderr
