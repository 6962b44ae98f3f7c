#    actgen_add_library(<target> SPECS a.act ...
#                       [HEADER name.h]         default: <spec>.h for each spec
#                       [ISA avx512 avx2 ...]   default: all sets of the project's processor; of several, the code chooses one
#                       [ACCURACY "abs 2^-22"]  replaces the specs' own clauses
#                       [PROVE]                 accepts only plans judged at all 2^32 inputs; see `actgen compile --prove`
#                       [PROFILE portable]      gives bits that other machines also give; see `actgen compile --profile`
#                       [TUNE zen5]             the core for which plans are made; see `actgen list --cores`
#                       [PLANS gate.plans]      a file of `actgen tune --export`, used for the kernels that it has
#                       [FORMAT elf]            format of objects: elf, macho, coff; default: that of the project's system
#                       [DISPATCH pointer]      of several sets, chooses the best at the first call; `ifunc`: by glibc's loader
#                       [ABI vector]            adds functions of values and their vector forms; default: rows
#                       [COMPACT]               short code, which takes somewhat more time; see `actgen compile --compact`
#                       [PREFIX name_]          a prefix of all functions' names
#                       [VISIBILITY default])   lets code outside the shared library call the kernels; default: hidden
#
# Compiles spec files at build time into a normal static library target. Link the target, and include its header: the
# target brings the directory. With several specs, HEADER is a further header that includes the headers of all specs. A
# spec is compiled again when the spec, the compiler or an argument changes. Files that include its header are compiled
# again only if the header changes. The project needs C or C++ as a language. A toolchain file may build it for another
# machine than this one.
#
#    actgen_add_source(<target> SPECS a.act ...
#                      [STYLE scalar]         of `actgen compile --style`; `intrinsics` needs ISA
#                      [ISA avx2]             the set whose plans and intrinsics it has
#                      [FOLDER folder]        gets the headers, such as a folder of sources; default: one of the build
#                      [ACCURACY ...] [PROFILE ...] [TUNE ...] [PLANS ...] [PREFIX ...])    as above
#
# Writes C source at build time: <spec>.h for each spec. The target is an interface library, which brings the folder.
#
# ISA takes everything that `actgen compile --isa` takes. It is required if no set runs on all machines of a system.
# `ISA ptx` makes a text for GPUs, <spec>.ptx, instead of an object. The target then brings the directory of the
# headers. Its property ACTGEN_TEXTS has the paths of the texts, to embed or install them.
#
# Functions are known in the whole project. Variables are known only below the directory, function or block that
# included this file. So no variable here may keep a value from one call to the next.

# Finds the default instruction sets. Each machine of the project's system runs at least one of them. Empty: unknown.
function(_actgen_find_sets out)
  set(${out} "" PARENT_SCOPE)
  set(x86 "x86_64|AMD64|amd64|x64")
  set(arm64 "aarch64|arm64|ARM64")
  set(bsd "FreeBSD|OpenBSD|NetBSD|DragonFly")
  # A row has processors; systems; bytes of a pointer; sets, of which an object chooses one.
  set(rows "${x86};Linux|Android|Darwin|Windows|${bsd};8;avx512,avx2,x86-64" "${arm64};Linux|Android;8;arm64"
           "${arm64};Darwin|Windows|${bsd};8;neon" "ppc64le|powerpc64le;Linux;8;vsx" "s390x;Linux;8;s390x" "wasm32;.*;4;wasm"
           ".*;Emscripten;4;wasm")
  while(rows)
    list(POP_FRONT rows processors systems pointer sets)
    if(CMAKE_SYSTEM_NAME MATCHES "^(${systems})$" AND CMAKE_SYSTEM_PROCESSOR MATCHES "^(${processors})$"
       AND CMAKE_SIZEOF_VOID_P EQUAL pointer)
      set(${out} ${sets} PARENT_SCOPE)
      return()
    endif()
  endwhile()
endfunction()

# Finds the language that links the library. It must be a language of the caller's directory, because CMake enables
# languages for a directory and the directories below it.
function(_actgen_find_language out)
  foreach(language IN ITEMS C CXX)
    if(CMAKE_${language}_COMPILER_LOADED)
      set(${out} ${language} PARENT_SCOPE)
      return()
    endif()
  endforeach()
  message(FATAL_ERROR "actgen_add_library(${target}): a static library needs C or C++: name one in project(... LANGUAGES)")
endfunction()

# The functions below read the arguments of actgen_add_library: `target`, arg_SPECS and so on.

# Sets `isa` for the machine that the project is built for, and `format` if its system has its own format.
function(_actgen_choose_machine)
  if(NOT arg_ISA)
    _actgen_find_sets(arg_ISA)
  endif()
  if(NOT arg_ISA)
    math(EXPR bits "8 * 0${CMAKE_SIZEOF_VOID_P}")
    message(FATAL_ERROR "actgen_add_library(${target}): no instruction set is known to run on all machines that this project is built "
                        "for (${CMAKE_SYSTEM_PROCESSOR} ${CMAKE_SYSTEM_NAME}, ${bits} bits): name one, such as ISA rvv; `actgen help "
                        "compile` lists them")
  endif()
  list(JOIN arg_ISA "," isa)
  set(isa ${isa} PARENT_SCOPE)
  if(NOT arg_FORMAT AND NOT isa STREQUAL "ptx")
    if(CMAKE_SYSTEM_NAME STREQUAL "Darwin")
      set(arg_FORMAT macho PARENT_SCOPE)
    elseif(CMAKE_SYSTEM_NAME STREQUAL "Windows")
      set(arg_FORMAT coff PARENT_SCOPE)
    endif()
  endif()
endfunction()

# Sets `out` to the options of `actgen compile`.
function(_actgen_list_options out)
  set(options)
  foreach(option IN ITEMS ACCURACY PROFILE TUNE PLANS PREFIX VISIBILITY FORMAT DISPATCH ABI STYLE)
    if(arg_${option})
      string(TOLOWER ${option} name)
      list(APPEND options --${name} ${arg_${option}})
    endif()
  endforeach()
  foreach(option IN ITEMS PROVE COMPACT)
    if(arg_${option})
      string(TOLOWER ${option} name)
      list(APPEND options --${name})
    endif()
  endforeach()
  set(${out} ${options} PARENT_SCOPE)
endfunction()

# Sets `out` to the path of the spec of the target that `caller` adds. Stops if there is no such file.
function(_actgen_find_spec out caller spec)
  if(NOT spec MATCHES "\\.act$")
    message(FATAL_ERROR "${caller}(${target}): ${spec} is not a .act file")
  endif()
  get_filename_component(spec ${spec} ABSOLUTE)
  get_source_file_property(is_generated ${spec} GENERATED)
  if(NOT EXISTS ${spec} AND NOT is_generated)
    message(FATAL_ERROR "${caller}(${target}): there is no file ${spec}")
  endif()
  set(${out} ${spec} PARENT_SCOPE)
endfunction()

# Stops if the target that `caller` adds has unknown arguments or no specs, or if it cannot be compiled here.
function(_actgen_check_arguments caller)
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "${caller}(${target}): unknown arguments: ${arg_UNPARSED_ARGUMENTS}")
  endif()
  if(NOT arg_SPECS)
    message(FATAL_ERROR "${caller}(${target}): SPECS must name at least one .act file")
  endif()
  if(NOT TARGET actgen::compiler)
    message(FATAL_ERROR "${caller}(${target}): the target actgen::compiler is not visible in this directory. "
                        "Call find_package(actgen) here or in a parent directory, or call find_package(actgen ... GLOBAL)")
  endif()
  if(arg_PLANS)
    get_filename_component(arg_PLANS ${arg_PLANS} ABSOLUTE)
    if(NOT EXISTS ${arg_PLANS})
      message(FATAL_ERROR "${caller}(${target}): there is no file ${arg_PLANS}")
    endif()
    set(arg_PLANS ${arg_PLANS} PARENT_SCOPE)
  endif()
endfunction()

# Adds the command that compiles a spec into `object` and `header` of `folder`. An unchanged header keeps its time, so
# that nothing that includes it is compiled again.
function(_actgen_compile_spec spec object header)
  _actgen_find_spec(spec actgen_add_library ${spec})
  get_filename_component(name ${spec} NAME)
  add_custom_command(
    OUTPUT ${object}
    BYPRODUCTS ${folder}/${header}
    COMMAND actgen::compiler compile ${spec} -o ${object} --header ${folder}/new/${header} ${options}
    COMMAND ${CMAKE_COMMAND} -E copy_if_different ${folder}/new/${header} ${folder}/${header}
    DEPENDS ${spec} ${arg_PLANS} $<TARGET_FILE:actgen::compiler> $<TARGET_FILE:actgen::actgen>
    COMMENT "Compiling ${name} for ${isa}"
    VERBATIM)
endfunction()

# Adds the target that has these objects. For PTX the target has texts, which are not linked.
function(_actgen_add_target)
  if(isa STREQUAL "ptx")
    add_library(${target} INTERFACE)
    add_custom_target(${target}_texts ALL DEPENDS ${ARGN})
    add_dependencies(${target} ${target}_texts)
    set_target_properties(${target} PROPERTIES ACTGEN_TEXTS "${ARGN}")
  else()
    _actgen_find_language(language)
    add_library(${target} STATIC ${ARGN})
    set_source_files_properties(${ARGN} PROPERTIES EXTERNAL_OBJECT TRUE GENERATED TRUE)
    set_target_properties(${target} PROPERTIES LINKER_LANGUAGE ${language})
  endif()
  target_include_directories(${target} SYSTEM INTERFACE $<BUILD_INTERFACE:${folder}>)
endfunction()

function(actgen_add_library target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "PROVE;COMPACT" "HEADER;ACCURACY;PROFILE;TUNE;PLANS;PREFIX;VISIBILITY;FORMAT;DISPATCH;ABI" "SPECS;ISA")
  _actgen_check_arguments(actgen_add_library)
  _actgen_choose_machine()
  _actgen_list_options(options)
  list(PREPEND options --isa ${isa})

  set(folder ${CMAKE_CURRENT_BINARY_DIR}/${target}.actgen)
  file(MAKE_DIRECTORY ${folder}/new)
  list(LENGTH arg_SPECS spec_count)
  set(objects)
  set(headers)
  foreach(spec IN LISTS arg_SPECS)
    get_filename_component(name ${spec} NAME_WE)
    set(object ${folder}/${name}.o)
    if(isa STREQUAL "ptx")
      set(object ${folder}/${name}.ptx)
    endif()
    set(header ${name}.h)
    if(arg_HEADER AND spec_count EQUAL 1)
      set(header ${arg_HEADER})
    endif()
    if(header IN_LIST headers OR (header STREQUAL arg_HEADER AND spec_count GREATER 1))
      message(FATAL_ERROR "actgen_add_library(${target}): ${header} would be written twice; give a spec or HEADER another name")
    endif()
    _actgen_compile_spec(${spec} ${object} ${header})
    list(APPEND objects ${object})
    list(APPEND headers ${header})
  endforeach()
  _actgen_add_target(${objects})
  if(arg_HEADER AND spec_count GREATER 1)
    list(TRANSFORM headers REPLACE "(.+)" "#include \"\\1\"")
    list(JOIN headers "\n" includes)
    file(CONFIGURE OUTPUT ${folder}/${arg_HEADER} CONTENT "#pragma once\n${includes}\n")
  endif()
endfunction()

function(actgen_add_source target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "STYLE;ISA;FOLDER;ACCURACY;PROFILE;TUNE;PLANS;PREFIX" "SPECS")
  _actgen_check_arguments(actgen_add_source)
  if(arg_STYLE STREQUAL "intrinsics" AND NOT arg_ISA)
    message(FATAL_ERROR "actgen_add_source(${target}): STYLE intrinsics needs a set, such as ISA avx2")
  endif()
  _actgen_list_options(options)
  if(arg_ISA)
    list(PREPEND options --isa ${arg_ISA})
  endif()
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/${target}.actgen)
  if(arg_FOLDER)
    get_filename_component(folder ${arg_FOLDER} ABSOLUTE)
  endif()
  file(MAKE_DIRECTORY ${folder})
  set(headers)
  foreach(spec IN LISTS arg_SPECS)
    _actgen_find_spec(path actgen_add_source ${spec})
    get_filename_component(name ${path} NAME_WE)
    set(header ${folder}/${name}.h)
    if(header IN_LIST headers)
      message(FATAL_ERROR "actgen_add_source(${target}): ${name}.h would be written twice; give a spec another name")
    endif()
    add_custom_command(
      OUTPUT ${header}
      COMMAND actgen::compiler compile ${path} --emit c -o ${header} ${options}
      DEPENDS ${path} ${arg_PLANS} $<TARGET_FILE:actgen::compiler> $<TARGET_FILE:actgen::actgen>
      COMMENT "Writing ${name}.h"
      VERBATIM)
    list(APPEND headers ${header})
  endforeach()
  add_custom_target(${target}_headers DEPENDS ${headers})
  add_library(${target} INTERFACE)
  add_dependencies(${target} ${target}_headers)
  target_include_directories(${target} INTERFACE $<BUILD_INTERFACE:${folder}>)
endfunction()
