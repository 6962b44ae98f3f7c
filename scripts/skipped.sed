# Finds in ctest's LastTest.log what was skipped, and why: a line "SKIPPED: WHY" wherever a test prints one, "LEFT OUT: WHAT" for a
# part of one. (sed -n)
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
