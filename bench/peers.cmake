# The libraries to compare with. Each library that is found is built for AVX-512 and for AVX2, if it is compiled for an
# instruction set.
include(CheckLanguage)
include(find_peer.cmake)
check_language(CXX)
if(CMAKE_CXX_COMPILER)
  enable_language(CXX)
  set(CMAKE_CXX_STANDARD 17)
endif()
set(quiet -Wno-maybe-uninitialized) # gcc 12 warns of its own AVX-512 header if templates inline it

# Adds the builds of the file of the peer that find_peer() found. `isas` is both, or any for a library that chooses by
# itself. The rest are options of bench_peer().
macro(add_found title name source isas)
  message(STATUS "bench: with ${title}, ${peer_include}")
  foreach(isa IN ITEMS ${isas})
    string(REGEX REPLACE "_any$" "" object "${name}_${isa}")
    string(REGEX REPLACE "^any$" "" isa "${isa}")
    bench_peer(${object} ${source} "${isa}" INCLUDE ${peer_include} ${ARGN})
  endforeach()
endmacro()
function(not_found title packages)
  message(STATUS "bench: without ${title} (${packages})")
endfunction()
set(both avx512 avx2)
foreach(name IN ITEMS AOCL XNNPACK) # libraries that do not tell their version
  set(version_of_${name})
  if(ACTGEN_BENCH_${name}_VERSION)
    set(version_of_${name} " ${ACTGEN_BENCH_${name}_VERSION}")
  endif()
endforeach()

# glibc's vector functions, which gcc calls in loops compiled with -Ofast.
find_library(BENCH_LIBMVEC mvec)
if(BENCH_LIBMVEC AND CMAKE_C_COMPILER_ID STREQUAL "GNU")
  set(peer_include)
  add_found("libmvec" peer_libmvec peer_plain.c "${both}" OPTIONS -Ofast DEFINITIONS LIBRARY="gcc -Ofast"
            LIBRARIES ${BENCH_LIBMVEC})
else()
  not_found("libmvec" "gcc and glibc 2.35 or later")
endif()

# With headers of inline functions in the folder, these take part. They do not tell their version, and sleef.h, which
# does, cannot be included beside them.
find_peer(SLEEF HEADERS sleef.h LIBRARIES sleef)
if(peer_found)
  set(inline_functions)
  if(EXISTS ${peer_include}/sleefinline_avx512f.h AND EXISTS ${peer_include}/sleefinline_avx2.h)
    file(STRINGS ${peer_include}/sleef.h version REGEX "define SLEEF_VERSION_")
    string(REGEX MATCHALL "[0-9]+" version "${version}")
    list(JOIN version "." version)
    set(inline_functions INLINE_VERSION="${version}")
  endif()
  add_found("SLEEF" peer_sleef peer_sleef.c "${both}" LIBRARIES ${peer_libraries} DEFINITIONS ${inline_functions}
            OPTIONS -ffp-contract=off) # its sums of two words must stay as written
else()
  not_found("SLEEF" libsleef-dev)
endif()

# Not found by its package file, because that wants OpenCL's development files, which are not needed here.
find_peer(ONEDNN HEADERS oneapi/dnnl/dnnl.h LIBRARIES dnnl)
if(peer_found)
  file(STRINGS ${peer_include}/oneapi/dnnl/dnnl_types.h rms_norm REGEX "dnnl_rms_norm =")
  set(has_rms_norm 0)
  if(rms_norm)
    set(has_rms_norm 1)
  endif()
  add_found("oneDNN" peer_onednn peer_onednn.c any LIBRARIES ${peer_libraries}
            DEFINITIONS HAS_RMS_NORM=${has_rms_norm})
  add_executable(first_onednn first_onednn.c)
  target_include_directories(first_onednn SYSTEM PRIVATE ${peer_include})
  target_link_libraries(first_onednn PRIVATE ${peer_libraries})
else()
  not_found("oneDNN" libdnnl-dev)
endif()

# The library is opened as the program starts. Linked, its expf and others would replace those of libm.
find_peer(AOCL HEADERS amdlibm_vec.h LIBRARIES alm|amdlibm ONLY_NAMED)
if(peer_found)
  add_found("AOCL-LibM" peer_aocl peer_aocl.c "${both}"
            DEFINITIONS PATH="${peer_libraries}" VERSION="${version_of_AOCL}")
else()
  not_found("AOCL-LibM" "ACTGEN_BENCH_AOCL")
endif()

set(sources)
if(EXISTS "${ACTGEN_BENCH_XNNPACK}/CMakeCache.txt") # a folder where it was built; the headers are with the sources
  load_cache("${ACTGEN_BENCH_XNNPACK}" READ_WITH_PREFIX built_ XNNPACK_SOURCE_DIR PTHREADPOOL_SOURCE_DIR)
  set(sources "${built_XNNPACK_SOURCE_DIR}" "${built_PTHREADPOOL_SOURCE_DIR}")
endif()
find_peer(XNNPACK HEADERS xnnpack.h pthreadpool.h LIBRARIES XNNPACK xnnpack-microkernels-prod pthreadpool cpuinfo
          SUFFIXES . pthreadpool cpuinfo INCLUDE ${sources} ONLY_NAMED)
if(peer_found)
  add_found("XNNPACK" peer_xnnpack peer_xnnpack.c any LIBRARIES ${peer_libraries} stdc++ pthread
            DEFINITIONS VERSION="${version_of_XNNPACK}")
else()
  not_found("XNNPACK" "ACTGEN_BENCH_XNNPACK")
endif()

find_peer(EIGEN HEADERS Eigen/Core)
if(peer_found AND CMAKE_CXX_COMPILER)
  add_found("Eigen" peer_eigen peer_eigen.cpp "${both}" OPTIONS ${quiet} DEFINITIONS NDEBUG)
else()
  not_found("Eigen" "libeigen3-dev 3.4 or later, and a C++ compiler")
endif()

find_peer(HIGHWAY HEADERS hwy/highway.h LIBRARIES hwy)
if(peer_found AND CMAKE_CXX_COMPILER)
  add_found("Highway" peer_highway peer_highway.cpp "${both}" OPTIONS ${quiet} LIBRARIES ${peer_libraries})
else()
  not_found("Highway" "libhwy-dev, and a C++ compiler")
endif()

find_peer(XSIMD HEADERS xsimd/xsimd.hpp ONLY_NAMED)
if(peer_found AND CMAKE_CXX_COMPILER)
  add_found("xsimd" peer_xsimd peer_xsimd.cpp "${both}" OPTIONS ${quiet})
else()
  not_found("xsimd" "ACTGEN_BENCH_XSIMD, and a C++ compiler")
endif()
