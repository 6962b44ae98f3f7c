# MPFR and GMP compute with exact numbers: for reading formulas and planning, not for kernels that are found ready. libactgen does
# not link them; libactgen-numbers does, which is loaded when they are needed. For each of their functions that the rooms call,
# libactgen has one of that name which jumps to an address in a table; the other library has the table of the addresses. Both are
# written from the names that the objects lack, so that nobody keeps a list. Elsewhere than on the processors below MPFR and GMP are
# linked as ever, as they are in the archive.
#
# actgen_imports(OUT_IMPORTS OUT_NUMBERS OBJECTS...): the two files, of C.
function(actgen_imports out_imports out_numbers)
  set(imports ${PROJECT_BINARY_DIR}/generated/imports/imports.c)
  set(numbers ${PROJECT_BINARY_DIR}/generated/imports/numbers.c)
  add_custom_command(
    OUTPUT ${imports} ${numbers}
    COMMAND ${CMAKE_COMMAND} -DNM=${CMAKE_NM} "-DOBJECTS=${ARGN}" -DIMPORTS=${imports} -DNUMBERS=${numbers}
            -P ${PROJECT_SOURCE_DIR}/cmake/write_imports.cmake
    DEPENDS ${ARGN} ${PROJECT_SOURCE_DIR}/cmake/write_imports.cmake
    VERBATIM
    COMMENT "Listing what is called of MPFR and GMP")
  set(${out_imports} ${imports} PARENT_SCOPE)
  set(${out_numbers} ${numbers} PARENT_SCOPE)
endfunction()

set(actgen_has_imports OFF) # where write_imports.cmake knows how to jump
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|aarch64|arm64|riscv64)$")
  set(actgen_has_imports ON)
endif()
