# A picture is SVG and a page HTML, whatever ending their names have: one of another format is refused before anything is done.
actgen plot relu -o x.png; echo $?; actgen report relu -o ./d.x/x.PDF; echo $?; actgen report relu -o x.svg; echo $?
actgen fit gelu_tanh --to gelu --parameter a -o x.html; echo $?; ls
--- exit 0
--- stdout
2
2
2
2
--- stderr
actgen: error: 'x.png' would be png by its name: what is written is svg, FILE.svg
...
actgen: error: './d.x/x.PDF' would be PDF by its name: what is written is html, FILE.html
...
actgen: error: 'x.svg' would be svg by its name: what is written is html, FILE.html
...
actgen: error: 'x.html' would be html by its name: what is written is svg, FILE.svg
...
