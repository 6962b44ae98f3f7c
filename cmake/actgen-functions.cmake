# actgen_add_library(<target> SPECS a.act ...
#                    [HEADER name.h]         default: <spec>.h for each spec
#                    [ISA avx512 avx2 ...]   default: all of the project's processor; of several, the code chooses
#                    [ACCURACY "abs 2^-22"]  in place of the specs' own clauses
#                    [PROVE]                 only what was shown on all 2^32 inputs; `actgen compile --prove`
#                    [PROFILE portable]      bits that other machines give, too; `actgen compile --profile`
#                    [TUNE zen5]             the core that its instruction set's plans are made for; `actgen list --cores`
#                    [PLANS gate.plans]      winners that `actgen tune --export` wrote, for the kernels that it has
#                    [FORMAT elf]            of the objects: elf, macho, coff; default: the project's system's
#                    [DISPATCH pointer]      of several sets the best is chosen at the first call, or `ifunc`: by glibc's loader
#                    [PREFIX name_]          what all functions' names begin with
#                    [VISIBILITY default])   kernels can be called from outside the shared library that links this one; default: hidden
#
# Compiles spec files at build time into a normal static library target. Link it, and include its header: the directory comes with
# the target. With several specs, HEADER is one more header that includes theirs. A spec is compiled again when it, the
# compiler or one of the arguments changes; what includes its header only when that comes out otherwise. The project needs C or
# C++ as a language. It may be built for another machine than this one, by a toolchain file: Linux, macOS or Windows on x86-64 or
# arm64; Linux on ppc64le or s390x.

# What kernels are compiled for where the project does not say. A row: processors | system | instruction sets | format.
set(_actgen_systems
    "x86_64|AMD64|amd64;Linux;avx512,avx2,x86-64;elf" "x86_64|AMD64|amd64;Darwin;avx512,avx2,x86-64;macho"
    "x86_64|AMD64|amd64;Windows;avx512,avx2,x86-64;coff" "aarch64|arm64|ARM64;Linux;arm64;elf" "aarch64|arm64|ARM64;Android;arm64;elf"
    "aarch64|arm64|ARM64;Darwin;neon;macho" "aarch64|arm64|ARM64;Windows;neon;coff" "ppc64le|powerpc64le;Linux;vsx;elf"
    "s390x;Linux;s390x;elf")

# What stops a project here, in words: the language that links the library goes into `out`, defaults into `isa` and `format`.
function(_actgen_check_project out isa format target)
  set(found OFF)
  set(rows ${_actgen_systems})
  while(rows AND NOT CMAKE_SIZEOF_VOID_P EQUAL 4)
    list(POP_FRONT rows processors system isas object)
    if(CMAKE_SYSTEM_NAME STREQUAL system AND CMAKE_SYSTEM_PROCESSOR MATCHES "^(${processors})$")
      set(${isa} ${isas} PARENT_SCOPE)
      set(${format} ${object} PARENT_SCOPE)
      set(found ON)
    endif()
  endwhile()
  if(NOT found)
    message(FATAL_ERROR "actgen_add_library(${target}): kernels are compiled for x86-64 and arm64 (Linux, macOS, Windows), and for "
                        "ppc64le and s390x (Linux); this project is built for ${CMAKE_SYSTEM_PROCESSOR} ${CMAKE_SYSTEM_NAME}")
  endif()
  get_property(languages GLOBAL PROPERTY ENABLED_LANGUAGES)
  foreach(language IN ITEMS C CXX)
    if(language IN_LIST languages)
      set(${out} ${language} PARENT_SCOPE)
      return()
    endif()
  endforeach()
  message(FATAL_ERROR "actgen_add_library(${target}): a static library needs C or C++: name one in project(... LANGUAGES)")
endfunction()

function(actgen_add_library target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "PROVE" "HEADER;ACCURACY;PROFILE;TUNE;PLANS;PREFIX;VISIBILITY;FORMAT;DISPATCH" "SPECS;ISA")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "actgen_add_library(${target}): unknown arguments: ${arg_UNPARSED_ARGUMENTS}")
  endif()
  if(NOT arg_SPECS)
    message(FATAL_ERROR "actgen_add_library(${target}): SPECS must name at least one .act file")
  endif()
  _actgen_check_project(language default_isa default_format ${target})
  if(NOT arg_ISA)
    set(arg_ISA ${default_isa}) # a library must run on every machine
  endif()
  if(NOT arg_FORMAT)
    set(arg_FORMAT ${default_format})
  endif()
  list(JOIN arg_ISA "," isa)
  set(options --isa ${isa})
  if(arg_PLANS)
    get_filename_component(arg_PLANS ${arg_PLANS} ABSOLUTE)
    if(NOT EXISTS ${arg_PLANS})
      message(FATAL_ERROR "actgen_add_library(${target}): there is no file ${arg_PLANS}")
    endif()
  endif()
  foreach(option IN ITEMS ACCURACY PROFILE TUNE PLANS PREFIX VISIBILITY FORMAT DISPATCH)
    if(arg_${option})
      string(TOLOWER ${option} name)
      list(APPEND options --${name} ${arg_${option}})
    endif()
  endforeach()
  if(arg_PROVE)
    list(APPEND options --prove)
  endif()

  set(folder ${CMAKE_CURRENT_BINARY_DIR}/${target}.actgen)
  file(MAKE_DIRECTORY ${folder}/new)
  list(LENGTH arg_SPECS spec_count)
  set(objects)
  set(headers)
  foreach(spec IN LISTS arg_SPECS)
    if(NOT spec MATCHES "\\.act$")
      message(FATAL_ERROR "actgen_add_library(${target}): ${spec} is not a .act file")
    endif()
    get_filename_component(spec ${spec} ABSOLUTE)
    get_source_file_property(is_generated ${spec} GENERATED)
    if(NOT EXISTS ${spec} AND NOT is_generated)
      message(FATAL_ERROR "actgen_add_library(${target}): there is no file ${spec}")
    endif()
    get_filename_component(name ${spec} NAME_WE)
    set(object ${folder}/${name}.o)
    set(header ${name}.h)
    if(arg_HEADER AND spec_count EQUAL 1)
      set(header ${arg_HEADER})
    endif()
    if(header IN_LIST headers OR (header STREQUAL arg_HEADER AND spec_count GREATER 1))
      message(FATAL_ERROR "actgen_add_library(${target}): ${header} would be written twice; give a spec or HEADER another name")
    endif()
    # An equal header keeps its time, so that nothing which includes it is compiled again.
    add_custom_command(
      OUTPUT ${object}
      BYPRODUCTS ${folder}/${header}
      COMMAND actgen::compiler compile ${spec} -o ${object} --header ${folder}/new/${header} ${options}
      COMMAND ${CMAKE_COMMAND} -E copy_if_different ${folder}/new/${header} ${folder}/${header}
      DEPENDS ${spec} ${arg_PLANS} $<TARGET_FILE:actgen::compiler> $<TARGET_FILE:actgen::actgen>
      COMMENT "Compiling ${name}.act for ${isa}"
      VERBATIM)
    list(APPEND objects ${object})
    list(APPEND headers ${header})
  endforeach()

  add_library(${target} STATIC ${objects})
  set_source_files_properties(${objects} PROPERTIES EXTERNAL_OBJECT TRUE GENERATED TRUE)
  set_target_properties(${target} PROPERTIES LINKER_LANGUAGE ${language})
  target_include_directories(${target} SYSTEM INTERFACE $<BUILD_INTERFACE:${folder}>)
  if(arg_HEADER AND spec_count GREATER 1)
    list(TRANSFORM headers REPLACE "(.+)" "#include \"\\1\"")
    list(JOIN headers "\n" includes)
    file(CONFIGURE OUTPUT ${folder}/${arg_HEADER} CONTENT "#pragma once\n${includes}\n")
  endif()
endfunction()
