# interrupted COMMAND...: runs the program, sends it SIGINT as soon as $ready (a command of the shell) succeeds, and
# prints the exit code. In $ready, $child is the working process.
is_handled='grep -q "^SigCgt:.*[2367abef]$" /proc/$child/status' # the second bit says that the process has a handler of its own
is_working='test -d /proc/$child'

interrupted() {
    rm -f ../pid ../sent
    (
        until child=$(cat /proc/"$(cat ../pid)"/task/*/children) && child=${child% } && [ "$child" ] && eval "$ready"
        do sleep 0.05; done
        kill -INT "$(cat ../pid)"
        : > ../sent
    ) > ../watching 2>&1 &
    sh -c 'echo $$ > ../pid; exec "$@"' sh "$@"
    echo $?
    kill $! 2> ../watching
}
