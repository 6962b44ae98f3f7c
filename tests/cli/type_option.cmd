for type in f64 f32 f16 bf16 e4m3; do actgen show geglu --type $type --stage spec | head -1; actgen show -e 'x*x' --type=$type --stage spec | head -1; done
printf 'kernel k(x: f32) -> (y: f32) { y = x }\n' > k.act
actgen show gelu --type half --stage spec; actgen show gelu --type BF16 --stage spec; actgen show gelu --type bf15 --stage spec; actgen show gelu --type u64 --stage spec; actgen show k.act --type bf16 --stage spec
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
actgen: error: there is no type 'u64'; did you mean 'f64'?
actgen: error: 'k.act' names the types of its operands; --type is for built-ins and -e EXPR
