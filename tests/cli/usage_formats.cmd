# A picture is SVG and a page is HTML. A file name with the ending of another format is refused before any work.
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
actgen: error: the name 'x.png' is for png, but actgen writes svg here: name it FILE.svg
...
actgen: error: the name './d.x/x.PDF' is for PDF, but actgen writes html here: name it FILE.html
...
actgen: error: the name 'x.svg' is for svg, but actgen writes html here: name it FILE.html
...
actgen: error: the name 'x.html' is for html, but actgen writes svg here: name it FILE.svg
...
actgen: error: the name '.svgx' is for svgx, but actgen writes svg here: name it FILE.svg
...
actgen: error: the name 'x.svgz' is for svgz, but actgen writes svg here: name it FILE.svg
...
actgen: error: the name 'x.html5' is for html5, but actgen writes html here: name it FILE.html
...
