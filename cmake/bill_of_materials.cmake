# actgen_bill_of_materials(OUT TABLE): writes into the file OUT which libraries of other people this build contains or
# links, with their versions, in CycloneDX's format (https://cyclonedx.org/docs/1.6/json). Programs that look for
# vulnerable libraries read it. TABLE is LIBRARIES.md, which has the names, licences and sources.
function(actgen_bill_of_materials out table)
  set(present GMP MPFR FLINT xxHash LLVM)
  if(ACTGEN_STATIC_LLVM)
    list(APPEND present zstd zlib)
  endif()
  if(ACTGEN_LIBRARY_arb) # FLINT 2
    list(APPEND present NTL gf2x)
  endif()
  actgen_versions_of_headers(versions)
  get_target_property(text actgen_libllvm ACTGEN_VERSION_SOURCE)
  file(STRINGS ${text} llvm REGEX "\"LLVM ")
  string(REGEX REPLACE ".*\"LLVM ([^\"]*)\".*" "LLVM=\\1" llvm "${llvm}")

  set(components)
  file(STRINGS ${table} rows REGEX "^\\| .*https?://")
  foreach(row IN LISTS rows)
    string(REGEX REPLACE "^\\| [^|]* \\| ([^ ,|]*)[^|]* \\| ([^;|]*)[^|]* \\| ([^ ]*) \\|$" "\\1;\\2;\\3" cells "${row}")
    list(GET cells 0 name)
    if(NOT name IN_LIST present)
      continue()
    endif()
    list(REMOVE_ITEM present ${name})
    list(GET cells 1 licence)
    list(GET cells 2 source)
    string(STRIP "${licence}" licence)
    string(REGEX MATCH "${name}=([^;]*)" found "${versions};${llvm}")
    set(version)
    if(found)
      set(version "\"version\": \"${CMAKE_MATCH_1}\", ")
    endif()
    list(APPEND components "    {\"type\": \"library\", \"name\": \"${name}\", ${version}\"licenses\": [{\"expression\": \"${licence}\"}],
     \"externalReferences\": [{\"type\": \"website\", \"url\": \"${source}\"}]}")
  endforeach()
  if(present)
    message(FATAL_ERROR "${table} has no row for ${present}")
  endif()
  list(JOIN components ",\n" components)
  get_property(version_of_actgen GLOBAL PROPERTY ACTGEN_VERSION) # this function is called from other projects, too
  file(WRITE ${out} "{\"bomFormat\": \"CycloneDX\", \"specVersion\": \"1.6\", \"version\": 1,
  \"metadata\": {\"component\": {\"type\": \"library\", \"name\": \"actgen\", \"version\": \"${version_of_actgen}\",
    \"licenses\": [{\"license\": {\"id\": \"Apache-2.0\"}}]}},
  \"components\": [
${components}
  ]}
")
endfunction()

# actgen_versions_of_headers(OUT): returns a list of NAME=VERSION, which the compiler's preprocessor finds in the
# headers. This works for other machines as well, where a program could not run. A header that is not here, as that of a
# shared library which only programs need, gives no version.
function(actgen_versions_of_headers out)
  set(asked ${PROJECT_BINARY_DIR}/configured/version_of_header.c)
  separate_arguments(flags UNIX_COMMAND "${CMAKE_C_FLAGS}")
  set(versions)
  foreach(row IN ITEMS "GMP gmp.h __GNU_MP_VERSION __GNU_MP_VERSION_MINOR __GNU_MP_VERSION_PATCHLEVEL"
                       "MPFR mpfr.h MPFR_VERSION_MAJOR MPFR_VERSION_MINOR MPFR_VERSION_PATCHLEVEL"
                       "FLINT flint/flint.h __FLINT_VERSION __FLINT_VERSION_MINOR __FLINT_VERSION_PATCHLEVEL"
                       "xxHash xxhash.h XXH_VERSION_MAJOR XXH_VERSION_MINOR XXH_VERSION_RELEASE"
                       "zstd zstd.h ZSTD_VERSION_MAJOR ZSTD_VERSION_MINOR ZSTD_VERSION_RELEASE"
                       "zlib zlib.h ZLIB_VER_MAJOR ZLIB_VER_MINOR ZLIB_VER_REVISION")
    string(REPLACE " " ";" row "${row}")
    list(POP_FRONT row name header)
    list(JOIN row " . " parts)
    file(WRITE ${asked} "#include <${header}>\nactgen_version = ${parts}\n")
    execute_process(COMMAND ${CMAKE_C_COMPILER} ${flags} -E -P ${asked} OUTPUT_VARIABLE told ERROR_QUIET RESULT_VARIABLE result)
    if(result EQUAL 0 AND told MATCHES "actgen_version = ([^\n]*)")
      string(REPLACE " " "" version "${CMAKE_MATCH_1}")
      list(APPEND versions ${name}=${version})
    endif()
  endforeach()
  set(${out} ${versions} PARENT_SCOPE)
endfunction()
