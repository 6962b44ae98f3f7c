printf 'kernel d(x: f32, s: u64[], o: u64[]) -> (y: f32) { y = x * uniform(s, o) }\n' > d.act
actgen show d.act --stage expr && actgen show d.act --stage libm | tail -n 6
--- exit 0
--- stdout
y = x * uniform(s, o)
  = x * uniform(s, o)
void d_libm(size_t n, const float *x_data, const float *s_data, const float *o_data, float *y_data, const float *made_0 /* uniform(s, o) */)
{
    for (size_t i = 0; i < n; i++) {
        y_data[i] = x_data[i] * made_0[i];
    }
}
--- stderr
