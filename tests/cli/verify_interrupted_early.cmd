. $DATA/interrupt.sh
# The kernel comes after the interrupt: nothing was verified, and the report says so.
ready=$is_handled
kernel_after_interrupt() {
    until [ -e ../sent ]; do sleep 0.05; done
    echo 'kernel k(x: f32) -> (y: f32) { y = relu(x) }'
}
for resume in '' '--resume k.journal'; do
    rm -f ../sent
    kernel_after_interrupt | interrupted actgen verify - --exhaustive --isa x86-64 --report r.json $resume > result
    tail -n 1 result; grep -c 'interrupted at 0.0 %' result
    grep -c '"interrupted": true, "done": 0, "ok": null' r.json
done
--- exit 0
--- stdout
130
1
1
130
1
1
--- stderr
