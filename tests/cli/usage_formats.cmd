# A picture is SVG and a page HTML, whatever ending their names have: one of another format is refused before anything is done.
actgen plot relu -o x.png; echo $?; actgen report relu -o ./d.x/x.PDF; echo $?; actgen report relu -o x.svg; echo $?
actgen fit gelu_tanh --to gelu --parameter a -o x.html; echo $?
actgen plot relu -o .svgx; echo $?; actgen plot relu -o x.svgz; echo $?; actgen report relu -o x.html5; echo $?; ls -A
actgen plot relu --isa x86-64 -o x.SVG; actgen plot relu --isa x86-64 -o x.tmp; actgen report relu --isa x86-64 -o x.htm; ls -A
--- exit 0
--- stdout
2
2
2
2
2
2
2
x.SVG
x.htm
x.tmp
--- stderr
actgen: error: 'x.png' would be png by its name: what is written is svg, FILE.svg
...
actgen: error: './d.x/x.PDF' would be PDF by its name: what is written is html, FILE.html
...
actgen: error: 'x.svg' would be svg by its name: what is written is html, FILE.html
...
actgen: error: 'x.html' would be html by its name: what is written is svg, FILE.svg
...
actgen: error: '.svgx' would be svgx by its name: what is written is svg, FILE.svg
...
actgen: error: 'x.svgz' would be svgz by its name: what is written is svg, FILE.svg
...
actgen: error: 'x.html5' would be html5 by its name: what is written is html, FILE.html
...
