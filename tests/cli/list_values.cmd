for stage in $(actgen list --values-of stage); do actgen show relu --stage $stage > shown || echo $stage; done
for profile in $(actgen list --values-of profile); do actgen show relu --profile $profile --stage lane > shown || echo $profile; done
{ actgen list --cores | sed '1d; s/ .*//' | awk '!seen[$0]++'; echo host; } > cores; actgen list --values-of tune | diff cores -
for type in $(actgen list --values-of --type); do actgen show relu --type $type --stage lane > shown || echo $type; done
for isa in $(actgen list --values-of isa | grep -v all); do actgen show relu --isa $isa --stage lane > shown || echo $isa; done
for tier in $(actgen list --values-of tier); do actgen show relu --tier $tier --stage lane > shown || echo $tier; done
for who in $(actgen list --values-of visibility); do actgen compile relu --visibility $who -o x.o || echo $who; done
for how in $(actgen list --values-of dispatch); do actgen compile relu --dispatch $how -o x.o || echo $how; done
for format in $(actgen list --values-of format); do
    case $format in wasm|ptx) isa=$format ;; *) isa=neon ;; esac
    actgen compile relu --format $format --isa $isa -o x.o || echo $format
done
for panel in $(actgen list --values-of panels); do actgen plot relu --panels $panel -o x.svg > shown || echo $panel; done
for how in $(actgen list --values-of measure); do actgen fit -e 'b*x' --to relu --parameter b --measure $how > shown || echo $how; done
actgen list --values-of plan
actgen list --values-of accuracy
actgen list --values-of formats
--- exit 2
--- stdout
estimate
measure
--- stderr
actgen: error: there is no option 'formats'
usage: actgen list *
...
