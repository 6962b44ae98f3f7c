# The specs of docs/language.md compile. Its wrong specs give the errors that they end with, and its table has every
# elementary function.
doc=$DATA/../../docs/language.md
actgen help language | cmp - "$doc" && echo "printed as it is"
awk '/^```act/ { name = sprintf("%02d.%s", ++n, substr($0, 4)); next } /^```/ { name = "" } name { print > name }' "$doc"
for f in *.act; do actgen compile "./$f" -o k.o --header k.h --isa x86-64 || echo "$f is refused"; done
for f in *.act-error; do
    cp "$f" wrong
    actgen check ./wrong 2> message && echo "$f is not refused"
    grep -qF -- "error: $(sed -n '$s/^# error: //p' "$f")" message || { echo "$f:"; cat message; }
done
ls ./*.act ./*.act-error | awk 'END { print (NR > 20 ? "many" : "few") }'
actgen list --json | sed -n 's/.*"name": "\([^"]*\)".*"elementary functions".*/\1/p' > functions
for f in $(cat functions); do grep -q "^| .$f(x). |" "$doc" || echo "$f has no row"; done
sed -n 's/^| .\([a-z0-9]*\)(x). |.*/\1/p' "$doc" | while read -r f; do grep -qx "$f" functions || echo "$f is no function"; done
--- exit 0
--- stdout
printed as it is
many
--- stderr
