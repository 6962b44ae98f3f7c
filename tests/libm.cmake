#    cmake -D OBJECTS=list.txt -D NM=nm -P libm.cmake
# No object of the library may call a function of libm, except those whose results the standard defines exactly (sqrt,
# fma, ldexp, floor, ...). So plans and verdicts are the same with any libm. The program and the texts that it prints
# are not checked.
cmake_minimum_required(VERSION 3.21)
file(STRINGS ${OBJECTS} objects)
list(LENGTH objects count)
if(count LESS 100)
  message(FATAL_ERROR "only ${count} objects in ${OBJECTS}: are the rooms still object libraries?")
endif()
set(inexact sincos exp exp2 exp10 pow10 expm1 exp2m1 exp10m1 log log2 log10 log1p logp1 log2p1 log10p1 pow powr pown powi
            compoundn rootn rsqrt cbrt hypot erf erfc gamma lgamma tgamma j0 j1 jn y0 y1 yn)
foreach(wave cos sin tan)
  foreach(name ${wave} ${wave}h ${wave}pi a${wave} a${wave}h a${wave}pi)
    list(APPEND inexact ${name})
  endforeach()
endforeach()
list(APPEND inexact atan2 atan2pi)
list(TRANSFORM inexact PREPEND c OUTPUT_VARIABLE complex) # functions of complex numbers, for most of these names

execute_process(COMMAND ${NM} -A -u ${objects} OUTPUT_VARIABLE table COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "[^\n]+" lines "${table}")
set(exact 0)
set(faults)
foreach(line IN LISTS lines)
  string(REGEX REPLACE ".*[ :]" "" symbol "${line}")
  string(REGEX REPLACE "@.*|_r$|_finite$" "" symbol "${symbol}")
  string(REGEX REPLACE "^_+(ZGV[a-zA-Z0-9]*_)?" "" symbol "${symbol}")
  string(REGEX REPLACE "(f|l|q|f16|f32x?|f64x?|f128)$" "" short "${symbol}") # this also shortens erf, whose name ends in f
  if(symbol MATCHES "^(ldexp|frexp|sqrt)$")
    math(EXPR exact "${exact} + 1")
  elseif(symbol IN_LIST inexact OR short IN_LIST inexact OR symbol IN_LIST complex OR short IN_LIST complex)
    string(REGEX REPLACE ".*/src/" "src/" place "${line}")
    list(APPEND faults "\n  ${place}")
  endif()
endforeach()
if(exact LESS 3)
  message(FATAL_ERROR "no ldexp, frexp and sqrt in what nm printed: is this still its format?\n${line}")
endif()
if(faults)
  message(FATAL_ERROR "not defined to the last bit; use those of src/quick/quick_math.h:" ${faults})
endif()
message(STATUS "${count} objects")
