# The loop over the quick bounds runs for every input: let its comparisons become vector code. No value changes.
set_source_files_properties(${folder}/scan.c PROPERTIES COMPILE_OPTIONS "-O3;-fno-trapping-math;-fno-math-errno")
