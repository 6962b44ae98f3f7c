actgen show gelu --stage plan --isa avx512 --accuracy 'abs 2^-16' > first; actgen show gelu --stage plan --isa avx512 --accuracy 'abs 2^-16' | cmp first - && cat first
--- exit 0
--- stdout
# candidates for skylake-x, in the order they were measured: cost in cycles a vector
...
kept *cost *max *
not needed *cost *
...
piece x * normcdf(x)
  piecewise: *
  cost *; measured max *
  coefficients of polynomials in t = %*, by the low bits of %*
 *t^2 *t^1 *t^0
       0 *
       1 *
...
      31 *
profile avx512
...
store 1, %*
...
--- stderr
