actgen list
--- exit 0
--- stdout
name *family *form *definition
...
gelu *exact *gelu(x*) = *
gelu_tanh *tanh *
gelu_sigmoid *sigmoid *
...
geglu *fused gate *
...
--- stderr
