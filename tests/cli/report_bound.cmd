# The error that is bounded comes first, with a verdict. An absolute bound shows no ulps. Times have a processor and a date.
# Printing on paper shows the folded parts.
actgen report relu --accuracy 'abs 2^-12' -o abs.html && actgen report relu -o ulp.html && actgen report reglu -o gate.html
facts() { grep -o '<tr><th>.*</td></tr>' "$1" | sed -n '1,4s/<[^>]*>/ /gp'; }
facts abs.html; facts ulp.html; facts gate.html | sed -n 2p
grep -o '<th>input.*' abs.html ulp.html | sed 's/<[^>]*>/ /g' | sort -u
grep -o 'class="title"[^<]*<' abs.html | sed -n '3s/.*>//p'
grep -o '<h3>Speed.*' abs.html
grep -c '@media print.*details-content' abs.html; grep -c beforeprint abs.html
--- exit 0
--- stdout
  bound  abs 2^-12  
  verdict  kept: 0 of 0.00024  
  largest error found  0 at 0 (0x00000000), of * inputs  
  in ulps  0 ulp at 0 (0x00000000)  
  bound  3 ulp  
  verdict  kept: 0 of 3 ulp  
  largest error found  0 ulp at 0 (0x00000000), of * inputs  
  error / max(1, |y|)  0 at 0 (0x00000000)  
  verdict  kept: 0 of 3 ulp, by each function of one value  
abs.html: input  error  ulp  computed  exact  
ulp.html: input  ulp  computed  exact  
Error / max(1, |y|), the largest in each binade<
<h3>Speed, on one core of *, 2*-*-*</h3>
1
1
--- stderr
