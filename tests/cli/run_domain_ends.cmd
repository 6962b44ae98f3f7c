# Parts of these formulas are infinite at the ends of their domains. Two words of f64 have no infinity.
for f in 'log1p(x) - log1p(-x)' '2*atan(x/sqrt(1 - x^2))' 'asin(x)' 'acos(x)' 'atanh(x)'; do
    actgen run -e "$f" --type f64 --in=-1,-0.5,1,2
done
--- exit 0
--- stdout
-inf -1.0986122886681098 inf nan
-3.141592653589793 -1.0471975511965979 3.141592653589793 nan
-1.5707963267948966 -0.5235987755982989 1.5707963267948966 nan
3.141592653589793 2.0943951023931957 0 nan
-inf -0.5493061443340549 inf nan
--- stderr
