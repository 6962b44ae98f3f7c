# A toolchain file for wheels for arm64 (scripts/wheels). Python's headers are those of this machine, because both have
# the same sizes of types.
include(${CMAKE_CURRENT_LIST_DIR}/arm64.cmake)
find_program(python3 python3 REQUIRED)
execute_process(COMMAND ${python3} -c "import sysconfig; print(sysconfig.get_paths()['include'])" OUTPUT_VARIABLE include
                OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
set(Python_INCLUDE_DIR ${include})
set(ACTGEN_LIBRARY_FOLDERS ${folders})
