# Prints how fish completes a line whose last word is begun.
source $COMPLETIONS/actgen.fish
complete -C $argv[1] | string replace -r '\t.*' ''
