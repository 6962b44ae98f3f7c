# Removes the lines of success from the log of a stage that failed. scripts/test prints the rest. (sed -E)
/^ *Start +[0-9]+: /d
/^ *[0-9]+\/[0-9]+ Test +#[0-9]+: .* Passed /d
/^\[[0-9]+\/[0-9]+\] /d
/^(Get:|Selecting previously|Preparing to unpack|Unpacking |Setting up |\(Reading database)/d
