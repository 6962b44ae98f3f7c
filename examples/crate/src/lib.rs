//! Safe functions for the kernels of gates.act. A kernel is any number of rows of `cols` elements.

mod kernels {
    extern "C" {
        pub fn swish_gate(rows: usize, cols: usize, gate_up: *const f32, y: *mut f32);
        pub fn swish_gate_backward(rows: usize, cols: usize, gate_up: *const f32, d_y: *const f32, d_gate_up: *mut f32);
    }
}

/// Computes rows of `cols` elements. A row of `gate_up` has `cols` gates, then as many values to scale.
pub fn swish_gate(cols: usize, gate_up: &[f32], y: &mut [f32]) {
    let rows = rows_of(cols, y);
    assert_eq!(gate_up.len(), 2 * y.len(), "a row of gate_up is twice as long as one of y");
    unsafe { kernels::swish_gate(rows, cols, gate_up.as_ptr(), y.as_mut_ptr()) }
}

/// Computes the gradient of `swish_gate` with respect to `gate_up`, from `d_y`, which is that of `y`.
pub fn swish_gate_backward(cols: usize, gate_up: &[f32], d_y: &[f32], d_gate_up: &mut [f32]) {
    let rows = rows_of(cols, d_y);
    assert!(gate_up.len() == 2 * d_y.len() && d_gate_up.len() == gate_up.len(), "the lengths differ");
    unsafe { kernels::swish_gate_backward(rows, cols, gate_up.as_ptr(), d_y.as_ptr(), d_gate_up.as_mut_ptr()) }
}

fn rows_of(cols: usize, y: &[f32]) -> usize {
    assert!(cols > 0 && y.len() % cols == 0, "{} elements are no rows of {cols}", y.len());
    y.len() / cols
}

#[cfg(test)]
mod tests {
    #[test]
    fn values_and_gradients_are_right() {
        let gate_up = [1.0, -1.0, 2.0, 2.0, 0.5, 3.0, 10.0, 10.0];
        let (mut y, mut d) = ([0.0; 4], [0.0; 8]);
        super::swish_gate(2, &gate_up, &mut y);
        super::swish_gate_backward(2, &gate_up, &[1.0; 4], &mut d);
        for (i, value) in y.iter().enumerate() {
            let (row, column) = (i / 2, i % 2);
            let (gate, up) = (gate_up[4 * row + column], gate_up[4 * row + 2 + column]);
            let sigmoid = 1.0 / (1.0 + (-1.7 * gate).exp());
            assert!((value - gate * sigmoid * up).abs() < 1e-5);
            let slope = sigmoid + 1.7 * gate * sigmoid * (1.0 - sigmoid);
            assert!((d[4 * row + column] - slope * up).abs() < 1e-5);
            assert!((d[4 * row + 2 + column] - gate * sigmoid).abs() < 1e-5);
        }
    }

    #[test]
    #[should_panic(expected = "are no rows of 2")]
    fn wrong_lengths_are_refused() {
        super::swish_gate(2, &[0.0; 6], &mut [0.0; 3]);
    }
}
