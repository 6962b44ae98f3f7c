# actgen_add_library(<target> SPECS a.act ...
#                    [HEADER name.h]         default: <spec>.h for each spec
#                    [ISA avx512 avx2 ...]   default: all; of several, the code chooses at run time
#                    [ACCURACY "abs 2^-22"]  in place of the specs' own clauses
#                    [PROVE]                 only what was shown on all 2^32 inputs; `actgen compile --prove`
#                    [TUNE zen5]             the core that its instruction set's plans are made for; `actgen list --cores`
#                    [PLANS gate.plans]      winners that `actgen tune --export` wrote, for the kernels that it has
#                    [PREFIX name_]          what all functions' names begin with
#                    [VISIBILITY default])   kernels can be called from outside the shared library that links this one; default: hidden
#
# Compiles spec files at build time into a normal static library target. Link it, and include its header: the directory comes with
# the target. With several specs, HEADER is one more header that includes theirs. A spec is compiled again when it, the
# compiler or one of the arguments changes; what includes its header only when that comes out otherwise. The project needs C or
# C++ as a language, and x86-64 Linux as its target.

# What stops a project here, in words: the language that links the library goes into `out`.
function(_actgen_check_project out target)
  if(NOT CMAKE_SYSTEM_NAME STREQUAL "Linux" OR NOT CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$"
     OR CMAKE_SIZEOF_VOID_P EQUAL 4)
    message(FATAL_ERROR "actgen_add_library(${target}): kernels are compiled for x86-64 Linux; this project is built for "
                        "${CMAKE_SYSTEM_PROCESSOR} ${CMAKE_SYSTEM_NAME}")
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
  cmake_parse_arguments(PARSE_ARGV 1 arg "PROVE" "HEADER;ACCURACY;TUNE;PLANS;PREFIX;VISIBILITY" "SPECS;ISA")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "actgen_add_library(${target}): unknown arguments: ${arg_UNPARSED_ARGUMENTS}")
  endif()
  if(NOT arg_SPECS)
    message(FATAL_ERROR "actgen_add_library(${target}): SPECS must name at least one .act file")
  endif()
  _actgen_check_project(language ${target})
  if(NOT arg_ISA)
    set(arg_ISA all) # a library must run on every machine
  endif()
  list(JOIN arg_ISA "," isa)
  set(options --isa ${isa})
  if(arg_PLANS)
    get_filename_component(arg_PLANS ${arg_PLANS} ABSOLUTE)
    if(NOT EXISTS ${arg_PLANS})
      message(FATAL_ERROR "actgen_add_library(${target}): there is no file ${arg_PLANS}")
    endif()
  endif()
  foreach(option IN ITEMS ACCURACY TUNE PLANS PREFIX VISIBILITY)
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
