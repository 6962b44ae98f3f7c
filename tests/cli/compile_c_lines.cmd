# The text of GELU is short enough to be read: at most 250 lines in each style.
for set in x86-64 avx2 avx512 neon sve2 sve rvv; do actgen compile gelu --emit c --style intrinsics --isa $set -o $set.h || exit 1; done
for style in scalar vector cuda; do actgen compile gelu --emit c --style $style --isa x86-64 -o $style.h || exit 1; done
for file in *.h; do awk 'END { if (NR < 100 || NR > 250) print FILENAME, NR }' $file; done; ls *.h | wc -l
# A product that only one sum takes stands in the sum.
grep -c '= actgen_alone_f32_v(v[0-9]* \* v[0-9]*) + actgen_splat_f32_v(.*);' vector.h
--- exit 0
--- stdout
10
11
