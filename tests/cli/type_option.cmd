for type in f64 f32 f16 bf16 e4m3; do actgen show geglu --type $type --stage spec | head -1; actgen show -e 'x*x' --type=$type --stage spec | head -1; done
printf 'kernel k(x: f32) -> (y: f32) { y = x }\n' > k.act
actgen show gelu --type half --stage spec; actgen show gelu --type BF16 --stage spec; actgen show gelu --type bf15 --stage spec; for type in u64 e2m1 u1; do actgen show gelu --type $type --stage spec; done; actgen fit gelu_tanh --to gelu --parameter a --type i4; actgen show k.act --type bf16 --stage spec
--- exit 2
--- stdout
kernel geglu(gate: f64, up: f64) -> (y: f64) {
kernel expression(x: f64) -> (y: f64) {
kernel geglu(gate: f32, up: f32) -> (y: f32) {
kernel expression(x: f32) -> (y: f32) {
kernel geglu(gate: f16, up: f16) -> (y: f16) {
kernel expression(x: f16) -> (y: f16) {
kernel geglu(gate: bf16, up: bf16) -> (y: bf16) {
kernel expression(x: bf16) -> (y: bf16) {
kernel geglu(gate: e4m3, up: e4m3) -> (y: e4m3) {
kernel expression(x: e4m3) -> (y: e4m3) {
--- stderr
actgen: error: there is no type 'half'; write `f16`
actgen: error: there is no type 'BF16'; did you mean 'bf16'?
actgen: error: there is no type 'bf15'; did you mean 'bf16'?
actgen: error: not all operands can be u64 yet; there are f64, f32, f16, bf16, e4m3, e5m2, i8 and u8. A kernel of your own may have operands of u64, such as `x: u64[]`
actgen: error: not all operands can be e2m1 yet; there are f64, f32, f16, bf16, e4m3, e5m2, i8 and u8. A kernel of your own may have operands of e2m1, such as `x: e2m1`
actgen: error: not all operands can be u1 yet; there are f64, f32, f16, bf16, e4m3, e5m2, i8 and u8. A kernel of your own may have operands of u1, such as `x: u1`
actgen: error: not all operands can be i4 yet; there are f64, f32, f16, bf16, e4m3, e5m2, i8 and u8. A kernel of your own may have operands of i4, such as `x: i4`
actgen: error: 'k.act' names the types of its operands; --type is for built-ins and -e EXPR
