# Completes actgen's commands, options and their values in bash, from `actgen help` and `actgen list --values-of`.
_actgen() {
    local word=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} program=${COMP_WORDS[0]} words='' begun=''
    # To bash `--isa=neon` is three words.
    if [ "$word" = = ]; then word=''
    elif [ "$previous" = = ]; then previous=${COMP_WORDS[COMP_CWORD - 2]}
    fi
    if [[ $previous == --* ]]; then words=$("$program" list --values-of "$previous" 2>/dev/null); fi
    if [ -n "$words" ]; then
        if [[ $word == *,* ]]; then begun=${word%,*},; fi
        # shellcheck disable=SC2207 # words have no blanks
        COMPREPLY=($(compgen -P "$begun" -W "$words" -- "${word##*,}"))
        return
    fi
    if [ "$COMP_CWORD" -eq 1 ] || { [ "$COMP_CWORD" -eq 2 ] && [ "${COMP_WORDS[1]}" = help ]; }; then
        words=$("$program" --help | sed -n 's/^  \([a-z]*\)  *[A-Zh].*/\1/p')
        if [ "$COMP_CWORD" -eq 2 ]; then words="$words language options"; fi
        # shellcheck disable=SC2207 # words have no blanks
        COMPREPLY=($(compgen -W "$words" -- "$word"))
        return
    elif [[ $previous == -* ]] && "$program" help "${COMP_WORDS[1]}" options | grep -q -e "^  \(-[a-zA-Z], \)*$previous [A-Z]"; then
        words='' # its value: a number, a text or a file
    elif [[ $word == -* ]]; then
        words=$("$program" help "${COMP_WORDS[1]}" options | sed -n 's/^  \(-[a-zA-Z], \)*\(--*[a-z-]*\) .*/\2/p')
    else
        words=$("$program" list | sed -n '2,$s/ .*//p')
    fi
    # shellcheck disable=SC2207 # words have no blanks
    COMPREPLY=($(compgen -W "$words" -- "$word") $(compgen -f -- "$word"))
}
complete -o filenames -F _actgen actgen
