# The operations are compiled twice: for any processor, and for x86-64 with AVX2 and FMA. Both give the same bits,
# because none of these flags allows a value to change. They mean: no errno, no exception flags, and buffers may be read
# as another type of the same width.
set(interp_flags -O3 -funroll-loops -fno-math-errno -fno-trapping-math -fno-strict-aliasing)
set_source_files_properties(${folder}/interp_ops.c PROPERTIES COMPILE_OPTIONS "${interp_flags}")
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$")
  list(APPEND interp_flags -mavx2 -mfma)
  if(ACTGEN_SANITIZE) # this code would run many times slower; test_interp runs each operation of the plain code
    list(APPEND interp_flags -fno-sanitize=all)
  endif()
endif()
set_source_files_properties(${folder}/interp_ops_fma.c PROPERTIES COMPILE_OPTIONS "${interp_flags}")
