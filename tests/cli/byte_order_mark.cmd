printf '\357\273\277kernel k(x: f32) -> (y: f32) { y = relu(x) }\n' > bom.act
actgen check bom.act && printf '\357\273\277kernl k\n' > bad.act; actgen check bad.act 2>&1 | head -1
--- exit 0
--- stdout
bad.act:1:1: error: *
--- stderr
