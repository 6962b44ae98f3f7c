#!/bin/sh
# site.sh SOURCE ACTGEN FOLDER: tests that the tutorial's commands work, one after another, in a folder that has its
# files, and print what the tutorial shows. Then builds the site, if mkdocs can be imported. A missing page or link is
# an error.
source=$1 actgen=$2 folder=$3
rm -rf "$folder" && mkdir -p "$folder/tutorial" && cd "$folder/tutorial" || exit 1
PATH=$(dirname "$actgen"):$PATH
export PATH XDG_CACHE_HOME="$folder/cache"
page=$source/docs/tutorial.md
block() { awk -v kind="$1" '$0 == "```" { inside = 0 } inside { print } $0 == "```" kind { inside = 1 }' "$page"; }
block act > gate.act
block c > main.c
block console | sed -n 's/^\$ //p' > commands
[ "$(wc -l < commands)" -ge 8 ] || { echo "FAILED: the tutorial has no commands"; exit 1; }
sh -ex commands > printed || { echo "FAILED: a command of the tutorial"; exit 1; }
block python > gate.py
PYTHONPATH=$source/python ACTGEN_LIBRARY=$(dirname "$actgen")/libactgen.so
export PYTHONPATH ACTGEN_LIBRARY
if python3 -c 'import actgen, numpy' 2>/dev/null; then python3 gate.py >> printed || { echo "FAILED: the tutorial's Python"; exit 1; }
else
    echo "LEFT OUT: the tutorial's Python, for want of NumPy or cffi"
    block text | grep '\[' >> printed
fi
# Plans differ between processors, so figures and names of instruction sets are not compared.
form() { sed -E 's/avx512|avx2|x86-64|neon|sve2?/ISA/g; s/-?[0-9][0-9.,e+-]*/N/g; s/ +/ /g' "$1"; }
block text > expected
form printed > printed_form
form expected | sort -u | while IFS= read -r line; do
    grep -qxF -- "$line" printed_form || { echo "FAILED: no command of the tutorial prints: $line"; exit 1; }
done || exit 1
./main > values
grep -q '^1.69107 -0.308931$' values || { echo "FAILED: the tutorial's program prints"; cat values; exit 1; }
grep -qF "$(cat values)" "$page" || { echo "FAILED: the tutorial prints other values"; exit 1; }
"$source/scripts/site" "$folder/site" || exit
for page in index tutorial accuracy language c_interface python questions statements embedding loops calling how_it_works debugging bugs; do
    [ -s "$folder/site/site/$page.html" ] || { echo "FAILED: no $page.html"; exit 1; }
done
# Everything that the header declares must be in the reference that is made from it.
for name in $(grep -ho 'ACTGEN_API [^(]*(' "$source"/include/actgen.h "$source"/include/actgen/*.h | grep -o 'actgen_[a-z_]*($' | tr -d '('); do
    grep -q "$name" "$folder/site/pages/c_interface.md" || { echo "FAILED: $name is not in the reference"; exit 1; }
done
# Removes the search, because a browser with virtual time would wait for its worker forever.
cp -r "$folder/site/site" "$folder/shown" && rm "$folder/shown/404.html" "$folder/shown/search.html"
sed -i 's|<script src="search/main.js"></script>||' "$folder"/shown/*.html
# shellcheck disable=SC2046 # words are pages
sh "$source/tests/pages/widths.sh" "$folder" $(find "$folder/shown" -name '*.html')
case $? in 0 | 77) ;; *) exit 1 ;; esac # 77: the widths are not measured, and a message says so
