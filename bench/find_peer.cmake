# find_peer(NAME HEADERS file... [LIBRARIES library...] [SUFFIXES folder...] [INCLUDE folder...] [ONLY_NAMED]): finds
# the headers and the libraries of a peer. The variable ACTGEN_BENCH_NAME may name its folder, as README.md says. Then
# they are looked for only there, and a missing one is an error: a peer that is named is in every table, and no other
# copy of it is taken. Without a name they are looked for where the system has its own, unless ONLY_NAMED.
#
# A library is a list of names with "|", of which one is enough. SUFFIXES are further folders with libraries, below that
# folder. INCLUDE are further folders with headers.
#
# Sets peer_found, peer_include and peer_libraries.
function(find_peer name)
  cmake_parse_arguments(PARSE_ARGV 1 peer "ONLY_NAMED" "" "HEADERS;LIBRARIES;SUFFIXES;INCLUDE")
  set(variable ACTGEN_BENCH_${name})
  set(folder "${${variable}}")
  set(places)
  if(NOT folder STREQUAL "")
    if(NOT IS_DIRECTORY "${folder}")
      message(FATAL_ERROR "${variable}: there is no folder ${folder}")
    endif()
    set(places PATHS "${folder}" ${peer_INCLUDE} NO_DEFAULT_PATH)
  elseif(peer_ONLY_NAMED)
    set(peer_found OFF PARENT_SCOPE)
    return()
  endif()

  set(include)
  set(libraries)
  set(missing)
  foreach(header IN LISTS peer_HEADERS)
    set(path path-NOTFOUND)
    find_path(path ${header} ${places} PATH_SUFFIXES include include/eigen3 eigen3 NO_CACHE)
    if(path)
      string(REGEX REPLACE "/$" "" path "${path}")
      list(APPEND include "${path}")
    else()
      list(APPEND missing "include/${header}")
    endif()
  endforeach()
  foreach(library IN LISTS peer_LIBRARIES)
    string(REPLACE "|" ";" names "${library}")
    list(GET names 0 first)
    set(path path-NOTFOUND)
    find_library(path NAMES ${names} ${places} NO_CACHE
                 PATH_SUFFIXES lib lib64 lib/${CMAKE_LIBRARY_ARCHITECTURE} ${peer_SUFFIXES})
    if(path)
      list(APPEND libraries "${path}")
    else()
      list(APPEND missing "lib/lib${first}.so or .a")
    endif()
  endforeach()
  if(missing AND NOT folder STREQUAL "")
    list(JOIN missing ", no " text)
    message(FATAL_ERROR "${variable}: ${folder} has no ${text}. bench/README.md says what the folder must have.")
  endif()

  set(peer_found ON PARENT_SCOPE)
  if(missing)
    set(peer_found OFF PARENT_SCOPE)
  endif()
  set(peer_include "${include}" PARENT_SCOPE)
  set(peer_libraries "${libraries}" PARENT_SCOPE)
endfunction()
