# The list has at most 80 columns, with each definition below its name.
actgen list && actgen list | awk 'length > 80'
--- exit 0
--- stdout
name *family *form
...
gelu *exact
    function gelu(x) = x * normcdf(x)
gelu_tanh *tanh
    function gelu_tanh(*
...
gelu_sigmoid *sigmoid
...
geglu *fused gate
    kernel geglu(gate: f32, up: f32) -> (y: f32) { y = gelu(gate) * up }
...
tanh *elementary functions*
sigmoid *elementary functions*
...
--- stderr
