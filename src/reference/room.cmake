# The quick values of a series are loops that become vector code, as in quick/. The flags change no value.
set_source_files_properties(${folder}/beginning.c PROPERTIES COMPILE_OPTIONS "-O3;-fno-math-errno;-fno-trapping-math")
