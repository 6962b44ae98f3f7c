#    cmake -D BUILD=<a build of actgen> -D SOURCE=<actgen> -D CONFIG=Release -D COMPILER=cc -D GENERATOR=Ninja -P projects.cmake
# Tests other people's projects, in tests/package: each way to find actgen, each target of the program, and actgen's own
# source as part of a project. The last is configured and lists its commands, because building it takes a minute.
cmake_minimum_required(VERSION 3.21)
include(${CMAKE_CURRENT_LIST_DIR}/installed.cmake)
file(COPY ${SOURCE}/tests/package/ DESTINATION ${root}/projects)

llvm_options(llvm ${BUILD})

# configured(PROJECT FOLDER ARGUMENT...): configures a project of tests/package for a fresh folder.
function(configured project folder)
  file(REMOVE_RECURSE ${root}/${folder})
  step(${CMAKE_COMMAND} -S ${root}/projects/${project} -B ${root}/${folder} -G ${GENERATOR} -D CMAKE_PREFIX_PATH=${package} ${ARGN})
endfunction()

# refused(TEXT PROJECT ARGUMENT...): configures likewise, and must stop with a message that has TEXT in it.
function(refused text project)
  execute_process(COMMAND ${CMAKE_COMMAND} -S ${root}/projects/${project} -B ${root}/refused -G ${GENERATOR}
                          -D CMAKE_PREFIX_PATH=${package} ${ARGN}
                  RESULT_VARIABLE result OUTPUT_QUIET ERROR_VARIABLE message)
  string(REGEX REPLACE "[ \n]+" " " message "${message}")
  string(FIND "${message}" "${text}" at)
  if(result EQUAL 0 OR at EQUAL -1)
    message(SEND_ERROR "${project} ${ARGN}: expected an error with '${text}', got ${result}: ${message}")
  endif()
  file(REMOVE_RECURSE ${root}/refused)
endfunction()

if(NOT CMAKE_VERSION VERSION_LESS 3.24) # from this version on, find_package knows GLOBAL
  configured(scopes scopes)
  step(${CMAKE_COMMAND} --build ${root}/scopes)
  step(${root}/scopes/scopes)
  refused("find_package(actgen ... GLOBAL)" scopes -D GLOBAL=)
  refused("no components, and was asked for jit" scopes -D "VERSION=0.1 COMPONENTS jit")
else()
  message("LEFT OUT: packages that are found GLOBAL, which CMake knows from 3.24 on")
endif()

file(STRINGS ${SOURCE}/include/actgen.h version REGEX "#define ACTGEN_VERSION_(MAJOR|MINOR|PATCH) ")
string(REGEX REPLACE "[^0-9;]" "" version "${version}")
list(JOIN version "." version)
configured(versions versions -D ACTGEN_VERSION=${version})

# The sets and formats must be those that the program names. A system without a default accepts only named sets.
execute_process(COMMAND ${package}/bin/actgen list --values-of isa OUTPUT_VARIABLE sets COMMAND_ERROR_IS_FATAL ANY)
string(REPLACE "\n" "," sets "${sets}")
configured(targets named -D ISAS=${sets}avx2:macho,avx2:coff,neon:macho,neon:coff)
step(${CMAKE_COMMAND} --build ${root}/named)
file(STRINGS ${root}/named/copied.ptx entries REGEX "[.]entry relu_of")
if(NOT entries)
  message(SEND_ERROR "the property ACTGEN_TEXTS leads to no text with an entry")
endif()
foreach(row IN ITEMS "FreeBSD|amd64" "Linux|s390x" "Linux|riscv64|rvv" "Linux|armv7l|armv7" "FreeBSD|arm64")
  string(REPLACE "|" ";" row "${row};")
  list(POP_FRONT row system processor set)
  set(machine -D CMAKE_SYSTEM_NAME=${system} -D CMAKE_SYSTEM_PROCESSOR=${processor})
  configured(targets ${system}-${processor} ${machine} -D ISAS=${set})
  step(${CMAKE_COMMAND} --build ${root}/${system}-${processor})
  if(set)
    refused("(${processor} ${system}, 64 bits): name one, such as ISA rvv" targets ${machine})
  endif()
endforeach()
# Compilers whose pointers differ in size from those of this program.
find_program(CLANG NAMES clang-19 clang)
find_program(AR NAMES llvm-ar-19 llvm-ar)
if(CLANG AND AR)
  foreach(row IN ITEMS "Generic|wasm32|wasm32" "Linux|armv7l|arm-linux-gnueabihf|armv7")
    string(REPLACE "|" ";" row "${row};")
    list(POP_FRONT row system processor compiled set)
    configured(targets ${processor} -D CMAKE_SYSTEM_NAME=${system} -D CMAKE_SYSTEM_PROCESSOR=${processor} -D ISAS=${set}
               -D CMAKE_C_COMPILER=${CLANG} -D CMAKE_C_COMPILER_TARGET=${compiled} -D CMAKE_AR=${AR}
               -D CMAKE_TRY_COMPILE_TARGET_TYPE=STATIC_LIBRARY -D actgen_ROOT=${package})
    step(${CMAKE_COMMAND} --build ${root}/${processor})
  endforeach()
else()
  message("LEFT OUT: projects of 32 bits; no clang or llvm-ar here")
endif()

# actgen's source in another project.
find_program(CXX NAMES c++ g++ clang++)
if(CXX AND GENERATOR MATCHES "Ninja") # Ninja can list its commands
  foreach(fetched IN ITEMS ON OFF)
    configured(fetched fetched -D ACTGEN=${SOURCE} -D FETCHED=${fetched} ${llvm})
    execute_process(COMMAND ${CMAKE_COMMAND} --build ${root}/fetched -- -t commands gates OUTPUT_VARIABLE said
                    COMMAND_ERROR_IS_FATAL ANY)
    if(NOT said MATCHES "actgen compile [^\n]*gate.act")
      message(SEND_ERROR "FETCHED=${fetched}: the spec would not be compiled:\n${said}")
    endif()
  endforeach()
else()
  message("LEFT OUT: actgen's source in a project; no C++ compiler here, or a generator other than Ninja")
endif()

# Builds the library with Make in a fresh folder, shared and as an archive. Make builds no file before the target that
# has it. The compiler is a stand-in that writes one object for all files, with the calls that must exist.
find_program(MAKE make)
if(MAKE)
  file(WRITE ${root}/object.c "#include <mpfr.h>\nstatic void *const calls[] __attribute__((used)) = {\n"
       "mpfr_init2, mpfr_clear, mpfr_set, mpfr_add, mpfr_sub, mpfr_mul, mpfr_div, mpfr_exp, mpfr_log, mpfr_sin};\n")
  step(${COMPILER} -c -fPIC ${root}/object.c -o ${root}/object.o)
  file(WRITE ${root}/launcher
       "#!/bin/sh\nlast=\nfor word; do [ \"$last\" = -o ] && cp '${root}/object.o' \"$word\"; last=$word; done\n")
  file(CHMOD ${root}/launcher PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
  foreach(shared IN ITEMS OFF ON)
    step(${CMAKE_COMMAND} -S ${SOURCE} -B ${root}/make-${shared} -G "Unix Makefiles" -D BUILD_SHARED_LIBS=${shared} -D ACTGEN_TESTS=OFF
         ${llvm} -D CMAKE_C_COMPILER_LAUNCHER=${root}/launcher)
  endforeach()
  step(${CMAKE_COMMAND} --build ${root}/make-OFF --target actgen --parallel 2)
  step(${CMAKE_COMMAND} --build ${root}/make-ON --target actgen_numbers --parallel 2)
else()
  message("LEFT OUT: builds by Make, which is not here")
endif()
