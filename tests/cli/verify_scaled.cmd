# Products with f64 values of rows keep their bound, on values of any size, with one and two words of f32 and with none.
# verify computes them again as docs/language.md describes, and judges the errors.
cat > s.act <<'END'
kernel one(x: f32, s: f64[rows]) -> (y: f32) { y = x*s }
kernel narrow(x: bf16, s: f64[rows]) -> (y: bf16) { y = x*s }
kernel weighted(x: f32, w: f32[cols], s: f64[rows], g: f32[]) -> (y: f32) { y = -(x/s*w*g) }
kernel three(x: f32, w: f32[cols], z: f32, s: f64[rows]) -> (y: f32) { y = x*w*z*s }
kernel tight(x: f32, w: f32[cols], s: f64[rows]) -> (y: f32) { accuracy 0.51 ulp; y = x*w*s }
kernel within(x: f32, z: f32, s: f64[rows]) -> (y: f32, q: e4m3, b: bf16) { y = f32(x*z*s) + z; q = x*s; b = bf16(x*s*z)*z }
END
actgen verify s.act --profile portable --isa host | awk '/ulp|abs/ && / ok/ { print $1, "ok" } /WRONG/ || / passed/'
for kernel in one tight three; do # three: in two words, by fma
    actgen show s.act:$kernel --profile portable --isa host --stage lane | grep -o -e rarely -e fma | sort | uniq -c
done
--- exit 0
--- stdout
one ok
narrow ok
weighted ok
three ok
tight ok
within ok
      1 rarely
      3 fma
      1 rarely
      5 fma
      1 rarely
--- stderr
