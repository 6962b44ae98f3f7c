#    cmake -D FILES=a,b,... -D READELF=readelf -P hardening.cmake
# Addresses that the loader has resolved cannot be written afterwards. A function that overruns an array of its own is
# noticed.
string(REPLACE "," ";" files "${FILES}")
foreach(file IN LISTS files)
  execute_process(COMMAND ${READELF} --wide --dynamic --segments --symbols ${file} OUTPUT_VARIABLE told COMMAND_ERROR_IS_FATAL ANY)
  foreach(wanted GNU_RELRO BIND_NOW __stack_chk_fail)
    if(NOT told MATCHES "${wanted}")
      message(FATAL_ERROR "${file} has no ${wanted}")
    endif()
  endforeach()
endforeach()
