#!/bin/sh
# set_up.sh SOURCE FOLDER: tests the messages of scripts/test about stages that were skipped, that passed and that
# failed. The machine has only the tools below: no package manager, no Python, and the clang-format that is put there.
source=$1 folder=$2 here=$1/tests/set_up
rm -rf "$folder" && mkdir -p "$folder/bin" "$folder/src" && cd "$folder" || exit 1
for tool in bash awk basename cat cut date dirname env find flock grep id mkdir mktemp nproc rm sed sort tail tee tr uname uniq wc; do
    ln -s "$(command -v $tool)" bin/ || exit 1
done
cp -r "$source/scripts" . && echo '/* A file. */' > src/a.c
failed=0
expect() { # what happens, exit code, a line that must be printed, a line that must not
    PATH=$folder/bin bash scripts/test format >said 2>&1
    code=$?
    if [ $code -eq "$2" ] && grep -q -e "$3" said && ! grep -q -e "$4" said; then return; fi
    printf 'FAILED: %s: exit code %d, expected %d, with "%s", without "%s":\n' "$1" $code "$2" "$3" "$4"
    cat said
    failed=1
}
formatter() { printf '#!/bin/sh\ncase $1 in --version) echo "version %s.0" ;; *) echo the formatter spoke; exit %d ;; esac\n' "$1" "$2"; }

expect 'no clang-format' 77 '^nothing was tested: every stage named was skipped, ' 'passed'
expect 'why it was skipped' 77 '^  format: clang-format 14 is not here' 'passed'
formatter 19 0 > bin/clang-format && chmod +x bin/clang-format
expect 'another clang-format' 77 '^nothing was tested' 'passed'
formatter 14 0 > bin/clang-format-14 && chmod +x bin/clang-format-14
expect 'clang-format 14' 0 '^every stage passed, ' 'skipped'
formatter 14 1 > bin/clang-format-14
expect 'a file of another style' 1 '^1 of 1 stages failed, ' 'every stage passed'
expect 'what it says then' 1 '^the formatter spoke' 'skipped'

# A stage whose shell is killed, as by a machine that runs out of memory, did not pass.
cat > bin/clang-format-14 <<'EOF'
#!/bin/sh
case $1 in --version) echo "version 14.0"; exit ;; esac
id=$$
while grep -qa -e 'format-14' -e 'scripts/format' -e '--stage' /proc/$id/cmdline; do
    id=$(sed 's/.*) [A-Z] \([0-9]*\) .*/\1/' /proc/$id/stat)
done
kill -9 "$id"
EOF
expect 'a stage that is killed' 1 '^1 of 1 stages failed, ' 'every stage passed'

# Tests the lines that are shown while a stage runs, and the skipped tests that are found in ctest's log.
same() { diff -u "$here/$1" - || { echo "FAILED: $1"; failed=1; }; }
sed -u -n -E -f scripts/progress.sed "$here/stage.log" | same progress
sed -n -f scripts/skipped.sed "$here/LastTest.log" | same skipped
exit $failed
