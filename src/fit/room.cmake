# Fits run these loops for every segment and degree tried. Vector code is faster, and changes no value.
set_source_files_properties(${folder}/exchange.c ${folder}/quotient.c ${folder}/segments_fit.c
                            PROPERTIES COMPILE_OPTIONS "-O3;-fno-trapping-math;-fno-math-errno")
