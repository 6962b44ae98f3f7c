#!/bin/sh
# links.sh SOURCE FOLDER: tests that the relative links of all documents lead to files and headings that exist, and that
# a page with dead links is refused.
source=$1 folder=$2
here=$(cd "$(dirname "$0")" && pwd)
rm -rf "$folder" && mkdir -p "$folder/docs" && cd "$folder" || exit 1
cat >docs/wrong.md <<'END'
# A page
[right](wrong.md), [right](#a-page), [right](../docs/wrong.md#two-words-2) and `[code](nowhere.md)`
[dead](nowhere.md) [dead](#nothing) [dead](wrong.md#two-words-3) <img src="nowhere.svg">
```
# no heading
[code](nowhere.md)
```
## Two words: 2
END
awk -f "$here/links.awk" docs/wrong.md >found && { echo "FAILED: dead links pass"; exit 1; }
[ "$(grep -c '^docs/wrong.md:3: ' found)" -eq 4 ] && [ "$(wc -l <found)" -eq 4 ] || { echo "FAILED: of four dead links it finds"; cat found; exit 1; }
cd "$source" || exit 1
# shellcheck disable=SC2046 # words are pages
awk -f "$here/links.awk" $(find . -name '*.md' ! -path './build/*' ! -path './.*' | sed 's|^\./||')
