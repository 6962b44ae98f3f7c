mkfifo never; actgen check - < never 2> message & process=$!
exec 9> never; until child=$(cat /proc/$process/task/$process/children) && [ "$child" ]; do sleep 0.05; done; kill -ABRT $child; wait $process; echo $?; cat message
--- exit 0
--- stdout
70
actgen: error: internal error: the working process ended by signal 6 (Aborted); this is a defect of actgen or of LLVM
