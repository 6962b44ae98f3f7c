# Fits a function of a file, starting from its own default. The picture has two panels.
printf 'function bend(x; slope = 1/4, other = 2) = if x > 0 then x else slope*x*other/2\n' > f.act
actgen fit f.act:bend --to leaky_relu --parameter slope -o fit.svg --interval -4,4 && grep -o 'class="title"[^<]*<' fit.svg | sed 's/.*>//'
python3 -c 'import xml.dom.minidom as m; m.parse("fit.svg")'
--- exit 0
--- stdout
parameters *slope *mse *max *at *max ulp
start *0.25 *
fitted *0.0* *
f.act:bend, fitted to leaky_relu<
Difference from leaky_relu<
--- stderr
