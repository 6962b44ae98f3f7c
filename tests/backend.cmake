#    cmake -D BUILD=<a build of actgen> -D FOLDER=<scratch> -D READELF=readelf -D FIRST=<first_actgen> -P backend.cmake
# LLVM is loaded only when something is compiled, MPFR and GMP only when a formula is read. Tests what a process with a
# filled cache needs. Tests the messages if libactgen-llvm or libactgen-numbers is missing or belongs to another build.
file(REMOVE_RECURSE ${FOLDER})
file(MAKE_DIRECTORY ${FOLDER}/lib)
foreach(library IN ITEMS libactgen.so.0 actgen)
  file(REAL_PATH ${BUILD}/${library} file)
  file(COPY_FILE ${file} ${FOLDER}/lib/${library})
endforeach()
file(REAL_PATH ${BUILD}/libactgen-llvm.so.0 backend)
file(REAL_PATH ${BUILD}/libactgen-numbers.so.0 numbers)
set(ENV{LD_LIBRARY_PATH} ${FOLDER}/lib)
set(unwanted LLVM)
set(has_numbers OFF) # MPFR and GMP are linked on some processors (cmake/imports.cmake)
if(EXISTS ${numbers})
  set(has_numbers ON)
  set(unwanted "LLVM|mpfr|gmp|flint|libarb")
endif()

execute_process(COMMAND ${READELF} -d ${FOLDER}/lib/libactgen.so.0 OUTPUT_VARIABLE needed COMMAND_ERROR_IS_FATAL ANY)
if(needed MATCHES "${unwanted}" OR NOT needed MATCHES "NEEDED.*libc\\.")
  message(SEND_ERROR "libactgen is linked with what it loads:\n${needed}")
endif()

# answers(TEXT CACHE): runs a kernel of one operation. Its output must have TEXT in it, and the status must be 0 if TEXT
# is a result.
function(answers text cache)
  execute_process(COMMAND ${FOLDER}/lib/actgen bench -e "max(x, 0)" --cache ${cache} -n 16 --isa x86-64
                  RESULT_VARIABLE status OUTPUT_VARIABLE out ERROR_VARIABLE out)
  string(FIND "${out}" "${text}" at)
  if(at EQUAL -1)
    message(SEND_ERROR "expected '${text}', got ${status}: ${out}")
  endif()
endfunction()

if(has_numbers)
  set(own_numbers ${FOLDER}/lib/libactgen-numbers.so.0)
  answers("nothing can be read or planned without libactgen-numbers.so.0" ${FOLDER}/empty)
  file(WRITE ${own_numbers} "no library")
  answers("nothing can be read or planned without libactgen-numbers.so.0" ${FOLDER}/empty)
  file(COPY_FILE ${numbers} ${own_numbers})
endif()
answers("nothing can be compiled without libactgen-llvm.so.0" ${FOLDER}/empty)
file(COPY_FILE ${backend} ${FOLDER}/lib/libactgen-llvm.so.0)
answers("ns/element" ${FOLDER}/cache)
file(REMOVE ${FOLDER}/lib/libactgen-llvm.so.0)
answers("ns/element" ${FOLDER}/cache)                                          # the object is in the cache
file(WRITE ${FOLDER}/lib/libactgen-llvm.so.0 "no library")
answers("nothing can be compiled without libactgen-llvm.so.0" ${FOLDER}/empty)
unset(ENV{LD_LIBRARY_PATH}) # the message is about the library next to libactgen, not about the system's
set(ENV{LD_PRELOAD} ${FOLDER}/lib/libactgen.so.0)
answers("libactgen-llvm.so.0: file too short" ${FOLDER}/empty)
unset(ENV{LD_PRELOAD})
set(ENV{LD_LIBRARY_PATH} ${FOLDER}/lib)

# A library of another build: changes the id in a copy, where it stands as text.
file(READ ${BUILD}/generated/base/build_id.c id)
string(REGEX REPLACE ".*\"([0-9a-f]+)\";.*" "\\1" id "${id}")
string(REGEX REPLACE "^." "z" other "${id}")
find_program(SED sed REQUIRED)
file(COPY_FILE ${backend} ${FOLDER}/lib/libactgen-llvm.so.0)
execute_process(COMMAND ${SED} -i s/${id}/${other}/ ${FOLDER}/lib/libactgen-llvm.so.0 COMMAND_ERROR_IS_FATAL ANY)
answers("is of another build" ${FOLDER}/empty)

# A library with other functions than this libactgen calls.
if(has_numbers)
  file(READ ${BUILD}/generated/imports/numbers.c list)
  string(REGEX REPLACE ".*{\"([0-9a-f]+)\".*" "\\1" list "${list}")
  string(REGEX REPLACE "^." "z" other "${list}")
  execute_process(COMMAND ${SED} -i s/${list}/${other}/ ${own_numbers} COMMAND_ERROR_IS_FATAL ANY)
  answers("libactgen-numbers.so.0 is of another build" ${FOLDER}/empty)
  file(COPY_FILE ${numbers} ${own_numbers})
endif()

# A kernel that is found ready needs neither library, and looks for none.
file(COPY_FILE ${backend} ${FOLDER}/lib/libactgen-llvm.so.0)
set(ENV{ACTGEN_CACHE_DIR} ${FOLDER}/ready)
execute_process(COMMAND ${FIRST} OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
file(REMOVE ${FOLDER}/lib/libactgen-llvm.so.0 ${own_numbers})
execute_process(COMMAND ${FIRST} OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
