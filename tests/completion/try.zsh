# Prints how zsh completes a line when Tab is pressed after its last word, in a terminal of its own. There is one
# completion.
zmodload zsh/zpty
zpty inner 'zsh -f -i'
zpty -w inner 'PS1= PS2=; stty -echo; unsetopt beep; fpath=($COMPLETIONS $fpath); autoload -Uz compinit; compinit -u -D; bindkey "^I" complete-word'
zpty -w inner 'said() { print -r -- "<${${(z)BUFFER}[-1]}>"; zle kill-whole-line }; zle -N said; bindkey "^X" said; print ready-"now"'
wait_for() { # pattern: REPLY is all that came before
    local piece end=$((SECONDS + 60))
    REPLY=
    until [[ $REPLY == ${~1} ]] || ((SECONDS > end)); do
        if zpty -rt inner piece; then REPLY+=$piece; else sleep 0.02; fi
    done
}
wait_for '*ready-now*'
zpty -wn inner "$1"$'\t\x18'
wait_for '*<*>*'
print -r -- ${${REPLY##*<}%%>*}
zpty -d inner
