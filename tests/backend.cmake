# cmake -D BUILD=<a build of actgen> -D FOLDER=<scratch> -D READELF=readelf -P backend.cmake
# LLVM is loaded when something is compiled, and not before: what a process with a filled cache needs, and what it is told where
# libactgen-llvm is missing or of another build.
file(REMOVE_RECURSE ${FOLDER})
file(MAKE_DIRECTORY ${FOLDER}/lib)
foreach(library IN ITEMS libactgen.so.0 actgen)
  file(REAL_PATH ${BUILD}/${library} file)
  file(COPY_FILE ${file} ${FOLDER}/lib/${library})
endforeach()
file(REAL_PATH ${BUILD}/libactgen-llvm.so.0 backend)
set(ENV{LD_LIBRARY_PATH} ${FOLDER}/lib)

execute_process(COMMAND ${READELF} -d ${FOLDER}/lib/libactgen.so.0 OUTPUT_VARIABLE needed COMMAND_ERROR_IS_FATAL ANY)
if(needed MATCHES "LLVM" OR NOT needed MATCHES "NEEDED.*libc\\.")
  message(SEND_ERROR "libactgen is linked with LLVM:\n${needed}")
endif()

# answers(TEXT CACHE): a kernel of one operation is run; what is said has TEXT in it, and the status is 0 if TEXT is a result.
function(answers text cache)
  execute_process(COMMAND ${FOLDER}/lib/actgen bench -e "max(x, 0)" --cache ${cache} -n 16 --isa x86-64
                  RESULT_VARIABLE status OUTPUT_VARIABLE out ERROR_VARIABLE out)
  string(FIND "${out}" "${text}" at)
  if(at EQUAL -1)
    message(SEND_ERROR "expected '${text}', got ${status}: ${out}")
  endif()
endfunction()

answers("nothing can be compiled without libactgen-llvm.so.0" ${FOLDER}/empty)
file(COPY_FILE ${backend} ${FOLDER}/lib/libactgen-llvm.so.0)
answers("ns/element" ${FOLDER}/cache)
file(REMOVE ${FOLDER}/lib/libactgen-llvm.so.0)
answers("ns/element" ${FOLDER}/cache)                                          # the object is in the cache
file(WRITE ${FOLDER}/lib/libactgen-llvm.so.0 "no library")
answers("nothing can be compiled without libactgen-llvm.so.0" ${FOLDER}/empty)

# A library of another build: this one's id is changed in a copy, where it stands as text.
file(READ ${BUILD}/generated/base/build_id.c id)
string(REGEX REPLACE ".*\"([0-9a-f]+)\";.*" "\\1" id "${id}")
string(REGEX REPLACE "^." "z" other "${id}")
find_program(SED sed REQUIRED)
file(COPY_FILE ${backend} ${FOLDER}/lib/libactgen-llvm.so.0)
execute_process(COMMAND ${SED} -i s/${id}/${other}/ ${FOLDER}/lib/libactgen-llvm.so.0 COMMAND_ERROR_IS_FATAL ANY)
answers("is of another build" ${FOLDER}/empty)
