# Prints how bash's function for actgen completes a line whose last word is begun.
source "$COMPLETIONS/actgen.bash"
IFS=$' ' read -ra COMP_WORDS <<<"$1"
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
_actgen
printf '%s\n' "${COMPREPLY[@]}"
