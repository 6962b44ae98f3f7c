actgen bench relu reglu -n 2048 --isa x86-64
--- exit 0
--- stdout
kernel *isa *n *ns/element *copy *ratio *copy relu *
relu *x86-64 *2048 *0.*
reglu *x86-64 *2048 *0.*
--- stderr
