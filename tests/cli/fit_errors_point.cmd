# Errors show the typed text, and never a text that the program made of it.
actgen fit gelu_tanh --to gelu --parameter zzz
actgen fit -e 'x*sigmoid(beta*x)' --to gelu --parameter b
actgen fit gelu_tanh --to 'gelu(y)' --parameter a
printf 'function f(x; p = 1) = x*p\nfunction g(x) = f(z)\n' > f.act; actgen fit f.act:f --to gelu --parameter p
--- exit 1
--- stdout
--- stderr
actgen: error: `gelu_tanh` has no parameter `zzz`; it has `a`; there is function gelu_tanh(x; a = 0.044715)
fit:1:11: error: unknown name `beta`
    1 | x*sigmoid(beta*x)
      |           ^~~~
fit:1:6: error: unknown name `y`*
    1 | gelu(y)
      |      ^
f.act:2:19: error: unknown name `z`
    2 | function g(x) = f(z)
      |                   ^
