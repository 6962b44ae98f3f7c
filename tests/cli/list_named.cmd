# `actgen list NAME` shows one definition.
actgen list gelu_new mish; actgen list swish --json | grep -c '"name"'; actgen list geluu; echo $?; actgen list gelu --cores; echo $?
--- exit 0
--- stdout
name      family  form
gelu_new  GELU    tanh
    another name for gelu_tanh
mish *
    function mish(x) = *
1
1
2
--- stderr
actgen: error: unknown *`geluu`; did you mean `gelu`?
actgen: error: 'gelu' cannot be given here: names are for the list of built-ins
...
