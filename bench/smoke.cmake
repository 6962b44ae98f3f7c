# Runs the benchmark shortly, without other libraries. Checks that nobody is missing in the table, that every row has
# its times and errors, and that no kernel loses a NaN or exceeds its bound (the exit status). Checks that all ratios
# and all kernels of --kernels are measured. Says nothing about speed.
cmake_minimum_required(VERSION 3.20)

execute_process(COMMAND ${BENCH} --json --seconds 0.4 --processes 2 --only gelu,log,swiglu --size 31,L1 --inputs nan --peer actgen,libm
                OUTPUT_VARIABLE json RESULT_VARIABLE status ERROR_VARIABLE messages)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "exit status ${status}: ${messages}")
endif()

set(expected "gelu/libm/erf/" "gelu/libm/erfc/" "log/libm//" "swiglu/libm/x/(1+exp)/"
             "gelu/limit/memcpy" "log/limit/memcpy" "swiglu/limit/memcpy")
string(JSON host GET "${json}" machine isa)
set(isas_avx512 avx512 avx2)
set(isas_avx2 avx2)
foreach(isa IN LISTS isas_${host})
  list(APPEND expected "gelu/actgen/abs 2^-10/${isa}")
  foreach(function IN ITEMS gelu log swiglu)
    list(APPEND expected "${function}/actgen/abs 2^-22/${isa}" "${function}/actgen/3 ulp/${isa}"
         "${function}/limit/relu/${isa}" "${function}/limit/relu, streaming/${isa}")
  endforeach()
endforeach()

set(seen)
string(JSON count LENGTH "${json}" rows)
math(EXPR last "${count} - 1")
foreach(i RANGE ${last})
  string(JSON row GET "${json}" rows ${i})
  foreach(field IN ITEMS function library form isa limit)
    string(JSON ${field} GET "${row}" ${field})
  endforeach()
  set(name "${function}/${library}/${form}/${isa}")
  list(APPEND seen "${name}" "${function}/${library}/${form}")
  string(JSON times LENGTH "${row}" times)
  if(NOT times EQUAL 3) # two sizes, and one more set of inputs
    message(SEND_ERROR "${name}: ${times} times instead of 3")
  endif()
  if(limit)
    continue()
  endif()
  foreach(set IN ITEMS normal negative subnormal nan)
    string(JSON max_ulp GET "${row}" errors ${set} max_ulp) # an error if it is absent
    string(JSON nan_lost GET "${row}" errors ${set} nan_lost)
    if(library STREQUAL "actgen" AND NOT nan_lost EQUAL 0)
      message(SEND_ERROR "${name}: ${nan_lost} NaNs lost")
    endif()
  endforeach()
endforeach()

foreach(name IN LISTS expected)
  if(NOT name IN_LIST seen)
    message(SEND_ERROR "${name} is not in the table")
  endif()
endforeach()
message(STATUS "${count} rows, ${messages}")

# Both kernels of each row of ratios.txt are compiled and timed, on the best of the instruction sets that have goals.
list(GET isas_${host} 0 isa)
execute_process(COMMAND ${BENCH} --ratios --json --seconds 0.1 --processes 1 --isa ${isa}
                OUTPUT_VARIABLE json RESULT_VARIABLE status ERROR_VARIABLE messages)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "--ratios: exit status ${status}: ${messages}")
endif()
file(STRINGS ${CMAKE_CURRENT_LIST_DIR}/ratios.txt rows REGEX "^[^#]")
list(LENGTH rows expected)
string(JSON count LENGTH "${json}" goals)
if(NOT count EQUAL expected)
  message(SEND_ERROR "--ratios prints ${count} rows instead of ${expected}")
endif()
math(EXPR last "${count} - 1")
foreach(i RANGE ${last})
  string(JSON verdict GET "${json}" goals ${i} verdict)
  string(JSON name GET "${json}" goals ${i} kernel)
  if(verdict STREQUAL "not measured")
    message(SEND_ERROR "${name} is not measured: ${messages}")
  endif()
endforeach()

# Each kernel of --kernels is compiled and timed, unless it is compared with a library or needs another processor. What
# cannot be compiled is named in the messages.
execute_process(COMMAND ${BENCH} --kernels --json --seconds 0.1 --processes 1
                OUTPUT_VARIABLE json RESULT_VARIABLE status ERROR_VARIABLE messages)
if(NOT status EQUAL 0 OR messages MATCHES "actgen_bench: [a-z0-9_]+[:,]")
  message(FATAL_ERROR "--kernels: exit status ${status}: ${messages}")
endif()
string(JSON count LENGTH "${json}" kernels)
math(EXPR last "${count} - 1")
foreach(i RANGE ${last})
  string(JSON verdict GET "${json}" kernels ${i} verdict)
  string(JSON name GET "${json}" kernels ${i} comparison)
  if(verdict STREQUAL "not measured" AND NOT name MATCHES "avx512fp16|avx2")
    message(SEND_ERROR "${name} is not measured: ${messages}")
  endif()
endforeach()
