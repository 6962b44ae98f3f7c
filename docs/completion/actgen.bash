# Completion of actgen's commands and options in bash: what `actgen help` knows.
_actgen() {
    local word=${COMP_WORDS[COMP_CWORD]} program=${COMP_WORDS[0]} words
    if [ "$COMP_CWORD" -eq 1 ]; then
        words=$("$program" --help | sed -n 's/^  \([a-z]*\)  *[A-Zh].*/\1/p')
    elif [[ $word == -* ]]; then
        words=$("$program" help "${COMP_WORDS[1]}" | sed -n 's/^  \(-[a-zA-Z], \)*\(--*[a-z-]*\) .*/\2/p')
    else
        words=$("$program" list | sed -n '2,$s/ .*//p')
    fi
    # shellcheck disable=SC2207 # words have no blanks
    COMPREPLY=($(compgen -W "$words" -- "$word") $(compgen -f -- "$word"))
}
complete -o filenames -F _actgen actgen
