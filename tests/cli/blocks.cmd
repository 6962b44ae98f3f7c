# The specs of docs/blocks.md compile, and its command prints what the page says.
doc=$DATA/../../docs/blocks.md
awk '/^```act/ { on = 1; n++; next } /^```/ { on = 0 } on { print > (n ".act") }' "$doc"
awk '/^```text/ { on = 1; next } /^```/ { on = 0 } on' "$doc" > wanted
mv 1.act peaks.act
sed -n 's/^[$] //p' wanted > commands
while read -r line; do printf '$ %s\n' "$line"; eval "$line"; done < commands > got
diff wanted got && wc -l < commands
actgen compile 2.act 3.act 4.act --isa avx2 -o blocks.o && ls blocks.o
--- exit 0
--- stdout
1
blocks.o
--- stderr
