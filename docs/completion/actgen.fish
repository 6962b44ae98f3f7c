# Completes actgen's commands, options and their values in fish, from `actgen help` and `actgen list --values-of`.
function __actgen_commands
    actgen --help | sed -n 's/^  \([a-z]*\)  *\([A-Z].*\)/\1\t\2/p'
end
function __actgen_options
    set -l words (commandline -opc)
    test (count $words) -ge 2; and actgen help $words[2] options | sed -n 's/^  \(-[a-zA-Z], \)*\(--*[a-z-]*\)\( [A-Z][^ ]*\)\{0,1\}  *\(.*\)/\2\t\4/p'
end
function __actgen_values
    set -l option (commandline -opc)[-1]
    set -l token (commandline -ct)
    set -l begun (string replace -r '[^,=]*$' '' -- $token)
    string match -q -- '--*=*' $token; and set option (string replace -r '=.*' '' -- $token)
    string match -q -- '--*' $option; or return
    for word in (actgen list --values-of $option 2>/dev/null)
        echo $begun$word
    end
end
function __actgen_has_values
    test (count (__actgen_values)) -gt 0
end
function __actgen_wants_value
    set -l words (commandline -opc)
    string match -q -- '-*' $words[-1]; and actgen help $words[2] options | string match -q -r -- "^  (-[a-zA-Z], )*$words[-1] [A-Z]"
end
function __actgen_wants_command
    set -l words (commandline -opc)
    test (count $words) -eq 2 -a "$words[2]" = help
end
function __actgen_builtins
    actgen list | sed -n '2,$s/ .*//p'
end
complete -c actgen -n __fish_use_subcommand -f -a '(__actgen_commands)'
complete -c actgen -n __actgen_wants_command -f -a '(__actgen_commands) language options'
complete -c actgen -n __actgen_has_values -f -a '(__actgen_values)'
complete -c actgen -n 'not __fish_use_subcommand; and not __actgen_has_values; and string match -q -- "-*" (commandline -ct)' -f -a '(__actgen_options)'
complete -c actgen -n 'not __fish_use_subcommand; and not __actgen_has_values; and not __actgen_wants_value; and not __actgen_wants_command; and not string match -q -- "-*" (commandline -ct)' -a '(__actgen_builtins)'
