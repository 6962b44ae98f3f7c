# The page has a section for each kernel and a curve for each result. It loads nothing from elsewhere.
printf 'kernel gated([gate | up]: bf16) -> (y: bf16) { y = relu(gate)*up }\nkernel both(x: f32, scale: f32[]) -> (y: f32, z: f32) { y = abs(x); z = if x < 1 then x*scale else 1 }\n' > k.act
actgen report k.act --isa x86-64 -o k.html --value scale=3 --vary x; echo $?
actgen report k.act:both --isa x86-64 -o k.html --value scale=3 --json && ls
grep -c '<svg' k.html; grep -o '<h[123][^<]*<' k.html; grep -c '<details>' k.html; grep -c 'x, where scale = 3<' k.html
grep -o '<tr><td><span[^>]*>-inf<.*' k.html; grep -cE 'src=|href="h|@import|url\(' k.html || true
--- exit 0
--- stdout
0
[
 {"name": "both", "operands": "(x: f32, scale: f32[]) -> (y: f32, z: f32)", "isa": "x86-64", *}
]
k.act
k.html
6
<h1>Report on both<
<h2 id="k0">both<
<h3>both.y<
<h3>Worst inputs, one a binade<
<h3>Special values<
<h3>Speed, on one core of *<
<h3>both.z<
<h3>Worst inputs, one a binade<
<h3>Special values<
3
6
<tr><td><span title="-inf (0xff800000)">-inf</span></td><td>0</td><td>inf</td><td>inf</td></tr>
<tr><td><span title="-inf (0xff800000)">-inf</span></td><td>0</td><td>-inf</td><td>-inf</td></tr>
0
--- stderr
