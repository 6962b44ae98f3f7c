# Completion of actgen's commands and options in fish: what `actgen help` knows, with what it says of them.
function __actgen_commands
    actgen --help | sed -n 's/^  \([a-z]*\)  *\([A-Z].*\)/\1\t\2/p'
end
function __actgen_options
    set -l words (commandline -opc)
    test (count $words) -ge 2; and actgen help $words[2] | sed -n 's/^  \(-[a-zA-Z], \)*\(--*[a-z-]*\)\( [A-Z][^ ]*\)\{0,1\}  *\(.*\)/\2\t\4/p'
end
function __actgen_builtins
    actgen list | sed -n '2,$s/ .*//p'
end
complete -c actgen -n __fish_use_subcommand -f -a '(__actgen_commands)'
complete -c actgen -n 'not __fish_use_subcommand; and string match -q -- "-*" (commandline -ct)' -f -a '(__actgen_options)'
complete -c actgen -n 'not __fish_use_subcommand; and not string match -q -- "-*" (commandline -ct)' -a '(__actgen_builtins)'
