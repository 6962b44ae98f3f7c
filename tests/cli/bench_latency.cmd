actgen bench relu --latency --json --isa x86-64 | tr ',' '\n' | sed 's/[0-9.e+-]*}*$//' | tr '\n' ' '
TMPDIR=$PWD/temporary; export TMPDIR; mkdir temporary
echo; printf 'kernel k(x: f32) -> (y: f32) { y = max(x, 0) }\nkernel m(x: f32) -> (y: f32) { y = -x }\n' >a.act
actgen bench a.act --latency --isa x86-64 && rmdir temporary
--- exit 0
--- stdout
*"cold_process_ms": *"cold_process_cached_ms": *"cold_process_cached_cpu_ms": *"planning_ms": *"warm_ms": *"disk_hit_ms": *"parse_us": *"memory_hit_us": *
kernel*isa*cold ms*cold, cached ms*of CPU*planning ms*warm ms*disk hit ms*parse us*memory hit us
k * x86-64 *.* *.* *.* *.* *.* *.*
m * x86-64 *.* *.* *.* *.* *.* *.*
2 together * x86-64 *.* *.* *.* *-*-*-*-*-
