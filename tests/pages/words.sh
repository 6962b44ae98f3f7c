#!/bin/sh
# words.sh SOURCE FOLDER: tests that scripts/words finds each kind of fault in a small tree that has one of each, and
# none after they are mended.
source=$1 folder=$2
rm -rf "$folder" && mkdir -p "$folder" && cd "$folder" || exit 1
mkdir scripts include src tests bench examples python && cp "$source/scripts/words" "$source/scripts/sentences.awk" scripts || exit 1

long="One and two and three and four and five and six and seven and eight and nine and ten and eleven and twelve and thirteen \
and fourteen and fifteen and sixteen"
printf '# Title\n\n%s.\n\nOf this sentence the subject comes late. %s.\n' "$long" "$long" > README.md
printf '/* %s. */\n/* %s. */\n/* Whether it is so. */\n' "$long" "$long" > src/a.c
printf '| %s |\n\n```\n%s\n```\n\nThis sentence is short.\n' "$long" "$long" > other.md

status=0
scripts/words --check > said && status=1
for fault in 'README.md: 23.0 words per sentence, at most 16' 'README.md: 2 of 3 sentences have more than 30 words' \
    'README.md:5: a sentence without a subject: Of this' 'src: 2 of 3 sentences in comments have more than 30 words' \
    'src/a.c:3:/\* Whether it is so. \*/   <- a comment begins with a verb'; do
    grep -q "$fault" said || { echo "not found: $fault"; status=1; }
done
if grep other.md said; then status=1; fi
scripts/words README.md | grep -q 'README.md:3: 31 words' || { echo "the long sentence is not printed"; status=1; }

printf '# Title\n\nThis sentence is short.\n' > README.md
printf '/* Returns what it was given. */\n' > src/a.c
scripts/words --check || status=1
[ $status = 0 ] || cat said
exit $status
