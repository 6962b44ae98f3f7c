# Joins the beginning of actgen/kernels.h and the declarations of each type.
#    cmake -D HEAD=kernels.h.in -D PARTS=f32.inc;... -D OUT=kernels.h -D VERSION=0.1.0 -P join.cmake
configure_file(${HEAD} ${OUT}.new @ONLY)
foreach(part IN LISTS PARTS)
  file(READ ${part} text)
  file(APPEND ${OUT}.new "${text}")
endforeach()
file(APPEND ${OUT}.new "\n#ifdef __cplusplus\n}\n#endif\n#endif\n")
file(RENAME ${OUT}.new ${OUT})
