# llvm_options(OUT BUILD): returns the options with which another configuration of actgen takes the LLVM of that build.
function(llvm_options out build)
  file(STRINGS ${build}/CMakeCache.txt options REGEX "^ACTGEN_LLVM_(VERSION|CONFIG_[0-9]+):")
  list(TRANSFORM options PREPEND -D)
  set(${out} ${options} PARENT_SCOPE)
endfunction()
