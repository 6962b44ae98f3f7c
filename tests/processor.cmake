#    cmake -D SOURCE=<actgen> -P processor.cmake
# Only src/target/ may know the processor. No other file of src/ may have a condition on it, ask for it, or use its
# instructions. Texts of C source in src/source/ are strings, so strings do not count.
file(GLOB_RECURSE files RELATIVE ${SOURCE} ${SOURCE}/src/*.c ${SOURCE}/src/*.h)
set(asks "__x86_64__|__i386__|__aarch64__|__(SSE|AVX|FMA)[0-9A-Z_]*__|__builtin_cpu|__asm__|intrin\\.h|cpuid\\.h|target\\(\"")
set(found OFF)
foreach(file IN LISTS files)
  file(READ ${SOURCE}/${file} text)
  string(REGEX REPLACE "\"([^\"\\\n]|\\\\[^\n])*\"" "\"\"" text "${text}")
  string(REGEX MATCHALL "${asks}" lines "${text}")
  if(lines AND file MATCHES "^src/target/")
    set(found ON)
  elseif(lines)
    message(SEND_ERROR "${file} asks for the processor, which is for src/target/ (wider.h, cpu.c):\n  ${lines}")
  endif()
endforeach()
if(NOT found)
  message(FATAL_ERROR "not even src/target/ asks for the processor: what does it ask by?")
endif()
