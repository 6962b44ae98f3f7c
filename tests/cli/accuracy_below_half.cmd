printf '# a comment\nkernel k(x: f32) -> (y: f32) { y = x*x }\n' > k.act
actgen show k.act --accuracy '0.4 ulp' --stage lane
--- exit 1
--- stdout
--- stderr
--accuracy:1:1: error: *
    1 | 0.4 ulp
      | ^*
