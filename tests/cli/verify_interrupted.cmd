actgen verify gelu --exhaustive --isa x86-64 > result & process=$!
sleep 1; kill -INT $process; wait $process; echo $?; grep -c stopped result
--- exit 0
--- stdout
130
1
--- stderr
