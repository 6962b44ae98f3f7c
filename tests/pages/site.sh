#!/bin/sh
# site.sh SOURCE ACTGEN FOLDER: the tutorial's commands work, one after another, in a folder that has its files; then the site is built,
# where mkdocs can be imported, and a page or a link that is missing is an error.
source=$1 actgen=$2 folder=$3
rm -rf "$folder" && mkdir -p "$folder/tutorial" && cd "$folder/tutorial" || exit 1
PATH=$(dirname "$actgen"):$PATH
export PATH XDG_CACHE_HOME="$folder/cache"
page=$source/docs/tutorial.md
block() { awk -v kind="$1" '$0 == "```" { inside = 0 } inside { print } $0 == "```" kind { inside = 1 }' "$page"; }
block act > gate.act
block c > main.c
block console | sed -n 's/^\$ //p' > commands
[ "$(wc -l < commands)" -ge 6 ] || { echo "FAILED: the tutorial has no commands"; exit 1; }
sh -ex commands > printed || { echo "FAILED: a command of the tutorial"; exit 1; }
block text | while read -r line; do grep -qF "$line" printed || { echo "FAILED: no command prints: $line"; exit 1; }; done || exit 1
./main > values
grep -q '^1.69107 -0.308931$' values || { echo "FAILED: the tutorial's program prints"; cat values; exit 1; }
grep -qF "$(cat values)" "$page" || { echo "FAILED: the tutorial prints other values"; exit 1; }
"$source/scripts/site" "$folder/site" || exit
for page in index tutorial accuracy language c_interface python questions statements; do
    [ -s "$folder/site/site/$page.html" ] || { echo "FAILED: no $page.html"; exit 1; }
done
# Nothing that the header declares is left out of the reference that is made of it.
for name in $(grep -ho 'ACTGEN_API [^(]*(' "$source"/include/actgen.h "$source"/include/actgen/*.h | grep -o 'actgen_[a-z_]*($' | tr -d '('); do
    grep -q "$name" "$folder/site/pages/c_interface.md" || { echo "FAILED: $name is not in the reference"; exit 1; }
done
# Without the search: a browser whose time is virtual waits for its worker for ever.
cp -r "$folder/site/site" "$folder/shown" && rm "$folder/shown/404.html" "$folder/shown/search.html"
sed -i 's|<script src="search/main.js"></script>||' "$folder"/shown/*.html
# shellcheck disable=SC2046 # words are pages
sh "$source/tests/pages/widths.sh" "$folder" $(find "$folder/shown" -name '*.html')
case $? in 0 | 77) ;; *) exit 1 ;; esac # where the widths are not measured, it has said so
