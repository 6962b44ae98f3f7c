mkfifo never; actgen check - < never & process=$!
exec 9> never; until child=$(cat /proc/$process/task/$process/children) && [ "$child" ]; do sleep 0.05; done; kill -TERM $process; wait $process; echo $?; kill -0 $child 2> /dev/null || echo ended
--- exit 0
--- stdout
143
ended
