printf '# two lines\nkernel k(x: f32) -> (y: f32) { y = geluu(x) }\n' > bad.act
actgen check bad.act
--- exit 1
--- stdout
--- stderr
bad.act:2:36: error: *did you mean*gelu*
    2 | kernel k(x: f32) -> (y: f32) { y = geluu(x) }
      |                                    ^~~~~*
