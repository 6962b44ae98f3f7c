printf 'function f(x) = x*sigmoid(x)\n' > functions.act
printf 'kernel k(x: f32) -> (y: f32) { y = silu(x) }\n' > kernel.act
actgen check functions.act ./kernel.act && actgen check - < kernel.act
--- exit 0
--- stdout
--- stderr
