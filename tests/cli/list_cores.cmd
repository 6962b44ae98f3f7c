actgen list --cores && actgen list --cores --json | head -2
--- exit 0
--- stdout
core *isa *costs
skylake-x *avx512 *default* measured*
...
generic *x86-64 *default* llvm-mca *
neoverse-n1 *neon *default* llvm-mca *
...
generic-neon *neon * llvm-mca *
[
 {"name": "skylake-x", "isa": "avx512", "default": true, "here": *, "source": "*"},
--- stderr
