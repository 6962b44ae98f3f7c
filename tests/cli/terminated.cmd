mkfifo never; actgen check - < never & process=$!
exec 9> never; sleep 0.3; child=$(cat /proc/$process/task/$process/children); kill -TERM $process; wait $process; echo $?; kill -0 $child 2> /dev/null || echo ended
--- exit 0
--- stdout
143
ended
