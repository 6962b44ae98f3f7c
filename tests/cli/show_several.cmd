printf 'kernel a(x: f32) -> (y: f32) { y = relu(x) }\nkernel b(x: f32) -> (y: f32) { y = x*x }\n' > two.act
actgen show two.act --stage lane --isa x86-64 | grep ==
actgen show ./two.act:b --stage lane --isa x86-64 | grep -c ==
--- exit 1
--- stdout
== a, x86-64 ==
== b, x86-64 ==
0
--- stderr
