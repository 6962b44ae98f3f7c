# What scripts/test leaves out where it prints the log of a stage that failed: all that went well. (sed -E)
/^ *Start +[0-9]+: /d
/^ *[0-9]+\/[0-9]+ Test +#[0-9]+: .* Passed /d
/^\[[0-9]+\/[0-9]+\] /d
/^(Get:|Selecting previously|Preparing to unpack|Unpacking |Setting up |\(Reading database)/d
