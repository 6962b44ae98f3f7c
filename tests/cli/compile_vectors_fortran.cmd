gfortran=$(command -v gfortran) && [ "$(uname -m)" = x86_64 ] || { echo "there is no gfortran for x86-64"; exit 77; }
printf 'kernel act(x: f32, beta: f32[]) -> (y: f32) { y = swish(x, beta = beta) }\n' > k.act
actgen compile gelu k.act --abi vector -o k.o || exit
cat > kernels.inc <<'F'
  interface
    pure real(c_float) function gelu(x) bind(c)
      use iso_c_binding
      !$omp declare simd(gelu)
      real(c_float), value :: x
    end function
    pure real(c_float) function act(x, beta) bind(c)
      use iso_c_binding
      !$omp declare simd(act) uniform(beta)
      real(c_float), value :: x, beta
    end function
  end interface
F
cat > loop.f90 <<'F'
subroutine loop(n, x, y, w, b)
  include 'kernels.inc'
  integer :: n, i
  real :: x(n), y(n), w, b
  !$omp simd
  do i = 1, n
    y(i) = gelu(x(i)*w + b)*w + act(x(i), w)
  end do
end subroutine
F
cat > main.f90 <<'F'
program main
  include 'kernels.inc'
  integer, parameter :: n = 1003
  integer :: i, wrong
  real :: x(n), y(n)
  x = [(0.0123*(i - 500), i = 1, n)]
  call loop(n, x, y, 0.5, 0.25)
  wrong = 0
  do i = 1, n
    if (y(i) /= gelu(x(i)*0.5 + 0.25)*0.5 + act(x(i), 0.5)) wrong = wrong + 1
  end do
  print '(i0, a)', wrong, ' wrong'
end program
F
$gfortran -O3 -fopenmp-simd -c loop.f90 && nm -u loop.o | sed -n 's/.*\(_ZGV.*\)/\1/p' && $gfortran main.f90 loop.o k.o -o main && ./main
--- exit 0
--- stdout
_ZGVbN4v_gelu
_ZGVbN4vu_act
0 wrong
--- stderr
