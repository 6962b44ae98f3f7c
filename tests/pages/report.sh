#!/bin/sh
# report.sh ACTGEN FOLDER: tests that a report of kernels with several operands, gradients and long names fits the width
# of a phone and of a desk. Their formulas are planned and verified quickly. The width of a page depends on names,
# operands and drawings.
here=$(cd "$(dirname "$0")" && pwd) actgen=$1 folder=$2
rm -rf "$folder" && mkdir -p "$folder" && cd "$folder" || exit 1
cat >long.act <<'END'
kernel a_gate_with_a_name_that_is_as_long_as_names_in_programs_are([gate_projection | up_projection]: bf16, bias: f32[cols], scale: f32[]) -> (hidden_state: bf16) {
    hidden_state = max(gate_projection + bias, 0) * up_projection * scale
}
kernel backward = gradient a_gate_with_a_name_that_is_as_long_as_names_in_programs_are of gate_projection, up_projection
END
"$actgen" report gelu long.act -e 'x/(1+abs(x))' --isa host --no-cache -o page.html || exit 1
sh "$here/widths.sh" "$folder" "$folder/page.html"
