# Runs the examples of the help in the source tree. Examples that measure or sweep for minutes are only planned, and
# the arrays are smaller.
cp -r "$DATA/../../examples" .
for n in qkv up x; do cp "$DATA/matrix.npy" $n.npy; done
for c in '' list check show eval compile run verify bench; do actgen help $c; done | sed -n 's/^  \(actgen .*\)/\1/; t found; d; :found; s/   .*//; p' | sort -u > commands
grep -v -e '--all' -e '--merge' commands |
    sed 's/0:2880/0:4/; s/actgen \(bench\|verify\)/actgen show --stage spec/; s/ --\(exhaustive\|rows\|of\).*//' |
    while read -r line; do eval "$line" > output 2> message < /dev/null || { echo "$line"; cat message; }; done
awk 'END { print (NR > 12 ? "many" : "few") }' commands
--- exit 0
--- stdout
many
--- stderr
