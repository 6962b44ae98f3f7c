# Errors about inputs have the names of the kernel's inputs.
for inputs in 'gelu' 'gelu 1,,2' 'gelu foo' 'gelu y=1' 'gelu x=1 x=2' 'gelu x=1 2' '1 gelu' 'swiglu 1' 'swiglu gate=1,2 up=1,2,3' 'gelu 1e400' 'gelu 70000 --type f16' 'gelu -x' ''; do
    actgen eval $inputs --isa x86-64; echo $?
done 2>&1 | grep -v -e ^usage -e '^actgen help'
actgen eval gelu $(seq -s, 1 40),x 2>&1 | grep -v -e ^usage -e '^actgen help'
actgen eval gelu 1 --isa x86-64,avx2 2>&1 | grep -v -e ^usage -e '^actgen help'
echo "kernel many($(seq -s, -f 'a%g: f32' 0 30)) -> (y: f32) { y = $(seq -s+ -f 'a%g' 0 30) }" > many.act
actgen eval many.act 1 2>&1 | grep -v -e ^usage -e '^actgen help'
printf 'kernel a(x: f32) -> (y: f32) { y = x }\nkernel b(x: f32) -> (y: f32) { y = 2*x }\n' > k.act
actgen eval k.act 1
--- exit 2
--- stdout
actgen: error: 'x' has no value; gelu has the input x, as in x=1
2
actgen: error: '1,,2' is no number, and no list of numbers with commas; gelu has the input x, as in x=1
2
actgen: error: 'foo' is no number, and no list of numbers with commas; gelu has the input x, as in x=1
2
actgen: error: 'y=1' names no input; gelu has the input x, as in x=1
2
actgen: error: 'x=2' gives an input a second time; gelu has the input x, as in x=1
2
actgen: error: '2' is for no input; gelu has the input x, as in x=1
2
actgen: error: the kernel stands before its inputs, as in gelu 1
2
actgen: error: '1' may be for several inputs; swiglu has the inputs gate, up, as in gate=1 up=1
2
actgen: error: 'gate' has 2 numbers and needs 3
2
actgen: error: '1e400' for 'x' is too large for f64
1
actgen: error: '70000' is too large for 'x', which is f16
1
actgen: error: there is no option '-x'
2
actgen: error: a WHAT is missing: *
2
actgen: error: 'x' in the list is no number; gelu has the input x, as in x=1
actgen: error: eval takes one instruction set, and --isa names 2 (x86-64, avx2)
actgen: error: '1' may be for several inputs; many has the inputs a0, *, ..., as in a0=1 * a9=1 * ...
--- stderr
actgen: error: eval takes one kernel and one instruction set, and here are 2: name one with FILE:KERNEL or --isa (a, b)
usage: actgen eval *
actgen help eval says more.
