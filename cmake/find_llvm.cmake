# Finds LLVM by its program llvm-config, whatever name it has. Only the output of llvm-config is reliable.

# Sets `out` to the major version that a llvm-config prints. Sets it to nothing if the program does not run or the
# headers are not installed.
function(actgen_llvm_major out program)
  execute_process(COMMAND ${program} --version --includedir OUTPUT_VARIABLE said ERROR_QUIET RESULT_VARIABLE result)
  set(${out} "" PARENT_SCOPE)
  if(result EQUAL 0 AND said MATCHES "^([0-9]+)[.][^\n]*\n([^\n]+)")
    if(EXISTS ${CMAKE_MATCH_2}/llvm-c/Core.h)
      set(${out} ${CMAKE_MATCH_1} PARENT_SCOPE)
    endif()
  endif()
endfunction()

# Finds the llvm-config of a major version and keeps it as ACTGEN_LLVM_CONFIG_<version>, unless the user has set that
# variable. Empty: there is none. A folder of PATH or CMAKE_PREFIX_PATH may have another version under the same name, so
# each candidate is run.
function(actgen_find_llvm_config out version)
  set(kept ACTGEN_LLVM_CONFIG_${version})
  if(${kept})
    actgen_llvm_major(major ${${kept}})
    if(NOT major EQUAL version)
      message(FATAL_ERROR "${kept}=${${kept}} is no llvm-config of LLVM ${version} with headers: name another, or none (-U ${kept})")
    endif()
    set(${out} ${${kept}} PARENT_SCOPE)
    return()
  endif()
  set(folders $ENV{PATH})
  cmake_path(CONVERT "${folders}" TO_CMAKE_PATH_LIST folders)
  list(TRANSFORM CMAKE_PREFIX_PATH APPEND /bin OUTPUT_VARIABLE prefixes)
  list(PREPEND folders ${prefixes} ${CMAKE_PROGRAM_PATH})
  # Folders of Debian, Fedora, Arch, FreeBSD and Homebrew that are in no path.
  list(APPEND folders /usr/lib/llvm-${version}/bin /usr/lib64/llvm${version}/bin /usr/lib/llvm${version}/bin
       /usr/local/llvm${version}/bin /opt/homebrew/opt/llvm@${version}/bin /usr/local/opt/llvm@${version}/bin)
  foreach(folder IN LISTS folders)
    foreach(name IN ITEMS llvm-config-${version} llvm-config${version} llvm-config)
      if(NOT EXISTS ${folder}/${name})
        continue()
      endif()
      actgen_llvm_major(major ${folder}/${name})
      if(major EQUAL version)
        set(${kept} ${folder}/${name} CACHE FILEPATH "llvm-config of LLVM ${version}")
        set(${out} ${folder}/${name} PARENT_SCOPE)
        return()
      endif()
    endforeach()
  endforeach()
  set(${out} "" PARENT_SCOPE)
endfunction()
