# The error panel shows the error that is bounded, the bound as a line, and a verdict. ulp and abs have a panel each.
actgen plot -e 'a = tanh(x)' -o a.svg --isa x86-64 --accuracy 'abs 2^-12' --panels error --json | grep -o '"verdict.*'
grep -o 'class="title"[^<]*<\|font-size="11">[^<]*<' a.svg | sed 's/.*>//'
printf 'kernel a(x: f32) -> (y: f32) { accuracy abs 2^-12\n y = abs(x) }\nkernel u(x: f32) -> (y: f32) { y = relu(x) }\n' > k.act
printf 'kernel i(x: f32) -> (y: f32) { accuracy 1 ulp on [-4, 4]\n y = relu(x) }\n' >> k.act
actgen plot k.act -o k.svg --isa x86-64 --panels error
grep -o 'class="title"[^<]*<\|font-size="11">[^<]*<' k.svg | sed 's/.*>//'
--- exit 0
--- stdout
"verdict": "kept: *e-05 of 0.00024"}
Error / max(1, |y|), the largest in each binade<
kept: *e-05 of 0.00024<
bound<
Error in ulps, the largest in each binade<
u, kept: 0 of 3 ulp<
i, kept: 0 of 1 ulp<
Error / max(1, |y|), the largest in each binade<
a, kept: 0 of 0.00024<
bound<
--- stderr
