# These loops run for every input, and those over roundings for many inputs of each candidate. Vector code is
# faster, and changes no value.
set_source_files_properties(${folder}/judge.c ${folder}/scan.c ${folder}/curve.c ${folder}/band.c
                            ${folder}/rounding.c
                            PROPERTIES COMPILE_OPTIONS "-O3;-fno-trapping-math;-fno-math-errno")
