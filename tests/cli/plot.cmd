# Draws a kernel, and a gate by each of its operands. Pictures are well-formed, and come out alike each time.
actgen plot relu -o a.svg --isa x86-64 && actgen plot relu -o - --isa x86-64 | cmp - a.svg
grep -c '<path class="curve' a.svg; grep -o 'class="title"[^<]*<' a.svg | sed 's/.*>//'
actgen plot reglu -o b.svg --isa x86-64 --vary up --value gate=-2 --panels derivative,curve --interval -1,3
grep -o 'class="title"[^<]*<' b.svg | sed 's/.*>//'
grep -c 'up, where gate = -2<' b.svg
actgen plot relu 'sigmoid' -o c.svg --isa x86-64 --panels curve && grep -c '<path class="curve' c.svg
python3 -c 'import sys, xml.dom.minidom as m; [m.parse(f) for f in sys.argv[1:]]' a.svg b.svg c.svg
actgen plot reglu -o d.svg --isa x86-64 --vary up --panels curve --json; ls
--- exit 0
--- stdout
6
Value of relu, 3 ulp<
Derivative of relu, 3 ulp<
Error in ulps, the largest in each binade<
Value of reglu, 3 ulp<
Derivative of reglu, 3 ulp<
2
4
[
 {"name": "reglu", "operands": "(gate: f32, up: f32) -> (y: f32)", "isa": "x86-64", "accuracy": "3 ulp", "plan": "*", "of": "up", "result": "y", "fixed": "gate = 1", "no_derivative": null, "inputs": 0, "max_ulp": null, "max_abs": null, "verdict": null}
]
a.svg
b.svg
c.svg
d.svg
--- stderr
