# An input of shape [] has curves. Its gradient is a sum, of one element here.
printf 'kernel k(x: f32, slope: f32[], [a | b]: bf16) -> (y: f32, z: f32) { y = x*slope + a; z = b + x }\n' > k.act
actgen plot k.act --isa x86-64 -o k.svg --vary slope --value x=3 --panels curve,derivative && grep -c '<path class="curve' k.svg
actgen plot k.act --isa x86-64 -o k.svg --vary b --panels curve,derivative && grep -o '>k[.].<' k.svg
--- exit 0
--- stdout
8
>k.y<
>k.z<
>k.y<
>k.z<
--- stderr
