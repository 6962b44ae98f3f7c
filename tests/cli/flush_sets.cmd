for a in '3 ulp' '3 ulp flush'; do for s in armv7 armv7neon; do actgen show relu --isa $s --accuracy "$a" --stage asm | grep '^relu_[a-z0-9]*:'; done; done
--- exit 0
--- stdout
relu_armv7:
relu_armv7:
relu_armv7neon:
relu_armv7neon:
--- stderr
