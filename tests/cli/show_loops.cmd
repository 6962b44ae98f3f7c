for isa in rvv sve2 neon; do # what two vectors and the constants hold beside each other decides, where isa.def says how much may be held
    for kernel in gelu sigmoid mish; do
        echo "$isa $kernel $(actgen show $kernel --isa $isa --stage plan | grep '^loop')"
    done
done
--- exit 0
--- stdout
rvv gelu loop: 1 stage of 1 vector, *
rvv sigmoid loop: 1 stage of 2 vectors, *
rvv mish loop: 1 stage of 1 vector, *
sve2 gelu loop: 1 stage of 2 vectors, *
sve2 sigmoid loop: 1 stage of 2 vectors, *
sve2 mish loop: 1 stage of 1 vector, *
neon gelu loop: 1 stage of 2 vectors, *
neon sigmoid loop: 1 stage of 2 vectors, *
neon mish loop: 1 stage of 2 vectors, *
--- stderr
