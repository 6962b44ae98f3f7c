# Finds the skipped tests in ctest's LastTest.log, and why they were skipped. A test prints a line "SKIPPED: WHY", or
# "LEFT OUT: WHAT" for a part of it. (sed -n)
s/^[0-9]*\/[0-9]* Test: //
t test
s/^\(-- \)\{0,1\}\(SKIPPED\|LEFT OUT\): //
t why
b
: test
h
b
: why
G
s/^\(.*\)\n\(.*\)$/\2: \1/p
