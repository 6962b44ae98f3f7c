# Writes the ASCII file ${IN} as a C array to ${OUT}. It is no string because compilers limit the length of strings.
file(READ ${IN} bytes HEX)
string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
string(REPLACE "0x0a," "0x0a,\n" bytes "${bytes}")
file(WRITE ${OUT} "/* Generated from builtin_plans.txt by builtin_plans.cmake. */\n#include \"builtin.h\"\n\n"
                  "const char builtin_plans[] = {\n${bytes}0};\nconst size_t builtin_plans_size = sizeof builtin_plans - 1;\n")
