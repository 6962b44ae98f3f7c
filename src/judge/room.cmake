# The loops over results, over the quick bounds and over bands run for every input, those over roundings for many of each candidate: let their
# comparisons become vector code. No value changes.
set_source_files_properties(${folder}/judge.c ${folder}/scan.c ${folder}/band.c ${folder}/rounding.c
                            PROPERTIES COMPILE_OPTIONS "-O3;-fno-trapping-math;-fno-math-errno")
