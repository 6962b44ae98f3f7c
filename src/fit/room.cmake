# The loops of fits run for each segment and degree that is tried: let them become vector code. No value changes.
set_source_files_properties(${folder}/exchange.c ${folder}/quotient.c ${folder}/segments_fit.c
                            PROPERTIES COMPILE_OPTIONS "-O3;-fno-trapping-math;-fno-math-errno")
