CC=/nowhere/cc actgen bench relu -n 2048 --json --isa x86-64 | grep -o '"libm_ns_per_element": null'
--- exit 0
--- stdout
"libm_ns_per_element": null
--- stderr
