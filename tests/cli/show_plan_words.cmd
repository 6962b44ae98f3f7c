# A table of integers, here powers of two, is printed as words and not as numbers.
actgen show gelu --stage plan --isa avx2 | grep -A2 '^  table [0-9]*, by'
--- exit 0
--- stdout
  table *, by the low bits of %*
 *
       0                0x*
--- stderr
