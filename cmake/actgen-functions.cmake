# actgen_add_library(<target> SPECS a.act ...
#                    [HEADER name.h]         default: <spec>.h for each spec
#                    [ISA avx512 avx2 ...]   default: all; of several, the code chooses at run time
#                    [ACCURACY "abs 2^-22"]  in place of the specs' own clauses
#                    [TUNE zen5])            the core that its instruction set's plans are made for; `actgen list --cores`
#
# Compiles spec files at build time into a normal static library target. Link it, and include its header: the directory comes with
# the target. With several specs, HEADER is one more header that includes theirs. A spec is compiled again when it, the
# compiler or one of the arguments changes.
function(actgen_add_library target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "HEADER;ACCURACY;TUNE" "SPECS;ISA")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "actgen_add_library(${target}): unknown arguments: ${arg_UNPARSED_ARGUMENTS}")
  endif()
  if(NOT arg_SPECS)
    message(FATAL_ERROR "actgen_add_library(${target}): SPECS must name at least one .act file")
  endif()
  if(NOT arg_ISA)
    set(arg_ISA avx512 avx2 x86-64) # a library must run on every machine
  endif()
  list(JOIN arg_ISA "," isa)
  set(options --isa ${isa})
  if(arg_ACCURACY)
    list(APPEND options --accuracy ${arg_ACCURACY})
  endif()
  if(arg_TUNE)
    list(APPEND options --tune ${arg_TUNE})
  endif()

  set(folder ${CMAKE_CURRENT_BINARY_DIR}/${target}.actgen)
  file(MAKE_DIRECTORY ${folder})
  list(LENGTH arg_SPECS spec_count)
  set(objects)
  set(headers)
  foreach(spec IN LISTS arg_SPECS)
    if(NOT spec MATCHES "\\.act$")
      message(FATAL_ERROR "actgen_add_library(${target}): ${spec} is not a .act file")
    endif()
    get_filename_component(spec ${spec} ABSOLUTE)
    get_filename_component(name ${spec} NAME_WE)
    set(object ${folder}/${name}.o)
    set(header ${name}.h)
    if(arg_HEADER AND spec_count EQUAL 1)
      set(header ${arg_HEADER})
    endif()
    if(header IN_LIST headers OR (header STREQUAL arg_HEADER AND spec_count GREATER 1))
      message(FATAL_ERROR "actgen_add_library(${target}): ${header} would be written twice; give a spec or HEADER another name")
    endif()
    add_custom_command(
      OUTPUT ${object} ${folder}/${header}
      COMMAND actgen::compiler compile ${spec} -o ${object} --header ${folder}/${header} ${options}
      DEPENDS ${spec} $<TARGET_FILE:actgen::compiler> $<TARGET_FILE:actgen::actgen>
      COMMENT "Compiling ${name}.act for ${isa}"
      VERBATIM)
    list(APPEND objects ${object})
    list(APPEND headers ${header})
  endforeach()

  set(outputs ${headers})
  list(TRANSFORM outputs PREPEND ${folder}/)
  add_library(${target} STATIC ${objects} ${outputs})
  set_source_files_properties(${objects} PROPERTIES EXTERNAL_OBJECT TRUE GENERATED TRUE)
  set_target_properties(${target} PROPERTIES LINKER_LANGUAGE C)
  target_include_directories(${target} INTERFACE $<BUILD_INTERFACE:${folder}>)
  if(arg_HEADER AND spec_count GREATER 1)
    list(TRANSFORM headers REPLACE "(.+)" "#include \"\\1\"")
    list(JOIN headers "\n" includes)
    file(CONFIGURE OUTPUT ${folder}/${arg_HEADER} CONTENT "#pragma once\n${includes}\n")
  endif()
endfunction()
