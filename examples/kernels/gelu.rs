//! Calls libactgen-kernels from Rust: rustc gelu.rs -l actgen-kernels -L <its folder>
extern "C" {
    fn act_gelu_f32(n: usize, x: *const f32, y: *mut f32);
}

fn gelu(x: &[f32]) -> Vec<f32> {
    let mut y = vec![0.0; x.len()];
    unsafe { act_gelu_f32(x.len(), x.as_ptr(), y.as_mut_ptr()) }
    y
}

fn main() {
    println!("{:.5?}", gelu(&[-1.0, -0.5, 0.0, 2.0]));
}
