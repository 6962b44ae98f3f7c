# MPFR, GMP and Arb compute with exact numbers. Reading formulas and planning need them, but kernels that are found
# ready do not. So libactgen does not link them. libactgen-numbers does, and is loaded when they are needed.
#
# For each function of MPFR, GMP and Arb that the rooms call, libactgen has a function of the same name, which jumps to
# an address in a table. libactgen-numbers has the table of the addresses. Both are written from the names that the
# objects lack, so that nobody maintains a list. On other processors than those below, and in the archive, MPFR, GMP and
# Arb are linked in the usual way.
#
# actgen_imports(OUT_IMPORTS OUT_NUMBERS OBJECTS...): makes the two C files.
function(actgen_imports out_imports out_numbers)
  set(imports ${PROJECT_BINARY_DIR}/generated/imports/imports.c)
  set(numbers ${PROJECT_BINARY_DIR}/generated/imports/numbers.c)
  add_custom_command(
    OUTPUT ${imports} ${numbers}
    COMMAND ${CMAKE_COMMAND} -DNM=${CMAKE_NM} "-DOBJECTS=${ARGN}" -DIMPORTS=${imports} -DNUMBERS=${numbers}
            -P ${PROJECT_SOURCE_DIR}/cmake/write_imports.cmake
    DEPENDS ${ARGN} ${PROJECT_SOURCE_DIR}/cmake/write_imports.cmake
    VERBATIM
    COMMENT "Listing what is called of MPFR, GMP and Arb")
  set(${out_imports} ${imports} PARENT_SCOPE)
  set(${out_numbers} ${numbers} PARENT_SCOPE)
endfunction()

set(actgen_has_imports OFF) # ON for processors for which write_imports.cmake can write jumps
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|aarch64|arm64|riscv64)$")
  set(actgen_has_imports ON)
endif()
