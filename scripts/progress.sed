# Selects the lines of a stage that scripts/test shows while it runs: each test as it ends, with a count, every
# hundredth step of a build, installed packages, and errors. (sed -E -n -u)
s/^ *([0-9]+\/[0-9]+) Test +#[0-9]+: ([^ ]+) [ .]*(.*[^ ]) +([0-9.]+) sec.*/[\1] \2: \3, \4 s/
t shown
s/^([^ ]+\.py) [^ ]+ +(\[ *[0-9]+\/[0-9]+\])$/\2 \1/
t shown
s/^(\[[0-9]*00\/[0-9]+\]) .*/\1 built/
t shown
/^(installing|left out|skipped): |^(FAILED|ERROR) |^CMake Error|: error: |^E: |: warning: |[0-9]+% tests passed|^=+ .* (passed|failed).* in /p
b
: shown
s/: Passed,/: passed,/
s/: \*\*\*Skipped,/: skipped,/
s/: \*\*\*/: /
p
