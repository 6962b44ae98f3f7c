#    cmake -D ACTGEN=<the program> -D SOURCE=<actgen> -D FOLDER=<of its own> -P riscv64_host.cmake
# Tests how RISC-V's processors are told from each other (src/target/), and how objects for them are loaded into a
# process (src/loader/).
cmake_minimum_required(VERSION 3.21)
include(${CMAKE_CURRENT_LIST_DIR}/run.cmake)
begin_host(riscv64 riscv64-linux-gnu-gcc qemu-riscv64-static)
run(${ACTGEN} compile tanh --type f64 --isa rvv -o kernel.o --header kernel.h) # its constants are in memory
file(GLOB loader ${SOURCE}/src/loader/*.c)
run(${compiler} ${host_program} -I${SOURCE}/src/loader ${CMAKE_CURRENT_LIST_DIR}/riscv64.c ${host_sources} ${loader}
    ${SOURCE}/src/base/diag.c kernel.o -Wl,--wrap=syscall -lpthread -o main)
# check(the emulator's processor | the answer of riscv_hwprobe, or - if the system lacks it | found | maker and
# architecture)
function(check processor answer found maker)
  run(${emulator} -cpu ${processor} ${FOLDER}/main ${answer} ${found} "riscv64 ${maker}" kernel.o)
  message(STATUS "${processor}, ${answer}: ${said}")
endfunction()
set(vectors rv64,v=true,vext_spec=v1.0,vlen=256)
check(rv64 - none "0 0")
check(${vectors} - rvv "0 0")
check(${vectors} 7 rvv "1001 1002")
check(${vectors} 3 none "1001 1002")
check(${vectors} unknown rvv "0 0")
file(REMOVE_RECURSE ${FOLDER})
