# Quick values are computed for every input that is verified, so their loops become vector code. They are compiled for
# any processor, and for x86-64 with AVX2 and with AVX-512. The flags drop errno and exception flags, and change no
# value.
set(quick_flags -O3 -fno-math-errno -fno-trapping-math)
set_source_files_properties(${folder}/quick_lanes.c PROPERTIES COMPILE_OPTIONS "${quick_flags}")
set(quick_flags_avx2 ${quick_flags})
set(quick_flags_avx512 ${quick_flags})
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$")
  list(APPEND quick_flags_avx2 -mavx2 -mfma)
  list(APPEND quick_flags_avx512 -mavx2 -mfma -mavx512f -mavx512dq -mavx512vl -mprefer-vector-width=512)
  if(ACTGEN_SANITIZE) # this code would run many times slower; test_reference_quick runs the plain code
    list(APPEND quick_flags_avx2 -fno-sanitize=all)
    list(APPEND quick_flags_avx512 -fno-sanitize=all)
  endif()
endif()
set_source_files_properties(${folder}/quick_lanes_avx2.c PROPERTIES COMPILE_OPTIONS "${quick_flags_avx2}")
set_source_files_properties(${folder}/quick_lanes_avx512.c PROPERTIES COMPILE_OPTIONS "${quick_flags_avx512}")
