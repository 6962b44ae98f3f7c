k() { printf "kernel k$1\n" > k.act; shift; actgen compile k.act gelu -o out.o --header out.h "$@"; echo $?; }
k '(x: f32, b: f32[cols]) -> (y: f32) { y = gelu(x + b) }' --abi vector
k '(x: f32, s: f32[rows]) -> (y: f32) { y = gelu(x)*s }' --abi scalar
k '(x: f32) -> (y: f32[rows]) { y = sum(x) }' --abi vector
k '(x: f32) -> (y: f32, m: u1) { y = relu(x); m = if x > 0 then 1 else 0 }' --abi vector
k '(x: f32, m: u1) -> (y: f32) { y = relu(x)*m }' --abi vector
k '(x: bf16) -> (y: bf16) { y = gelu(x) }' --abi vector
k '(x: f16) -> (y: f16) { y = gelu(x) }' --abi vector --isa neon
k '(x: f32) -> (y: f64) { y = gelu(f64(x)) }' --abi vector
k ' = gradient geglu' --abi vector
actgen compile dropout -o out.o --abi scalar; echo $?
actgen compile gelu --isa rvv --abi vector -o out.o; echo $?
actgen compile gelu --isa avx2 --format coff --abi vector -o out.o; echo $?
actgen compile gelu --isa ptx --abi scalar -o out.o; echo $?
actgen compile gelu --abi vectors -o out.o; echo $?
printf 'kernel a(x: f32) -> (y: f32) { y = relu(x) }\nkernel a_rows(x: f32) -> (y: f32) { y = relu(x) }\n' > a.act
actgen compile a.act --abi scalar -o out.o; echo $?
ls
actgen compile a.act -o rows.o; echo $?
--- exit 0
--- stdout
1
1
1
1
1
1
1
1
1
1
4
4
4
2
1
a.act
k.act
0
--- stderr
actgen: error: `k` cannot be a function of values (options.abi, --abi): its operand 'b' has one value per column, and such a call has no columns; an object without that option can have it
actgen: error: `k` cannot be a function of values (options.abi, --abi): its operand 's' has one value per row, and such a call has no rows; an object without that option can have it
actgen: error: `k` cannot be a function of values (options.abi, --abi): it has sums over rows or columns; an object without that option can have it
actgen: error: `k` cannot be a function of values (options.abi, --abi): it has several results, and a function returns one; an object without that option can have it
actgen: error: `k` cannot be a function of values (options.abi, --abi): its operand 'm' is neither f32 nor f64; an object without that option can have it
actgen: error: `k` cannot be a function of values (options.abi, --abi): its operand 'y' is neither f32 nor f64; an object without that option can have it
actgen: error: `k` cannot be a function of values (options.abi, --abi): its operand 'y' is neither f32 nor f64; an object without that option can have it
actgen: error: `k` cannot be a function of values (options.abi, --abi): its operand 'x' has another type than the result; an object without that option can have it
actgen: error: `k` cannot be a function of values (options.abi, --abi): it has several results, and a function returns one; an object without that option can have it
actgen: error: `dropout` cannot be a function of values (options.abi, --abi): it draws random numbers; an object without that option can have it
actgen: error: objects of the format elf for rvv have no vector functions (options.abi, --abi vector): elf objects for x86-64 and arm64 have them, and the abi `scalar` works here
actgen: error: objects of the format coff for avx2 have no vector functions (options.abi, --abi vector): elf objects for x86-64 and arm64 have them, and the abi `scalar` works here
actgen: error: code for GPUs (ptx) is launched for rows, and has no functions of values (options.abi, --abi); all other instruction sets have them
actgen: error: --abi is rows, scalar or vector, not 'vectors'
usage: actgen compile WHAT... -o OUT [--header OUT.h | --emit c] [OPTION...]
actgen help compile says more.
actgen: error: `a_rows` and `a` would share a name in the header; rename one
