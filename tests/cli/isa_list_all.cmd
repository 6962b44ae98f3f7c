# "all" and architectures may stand in lists, too. A set that is named twice counts once.
actgen show relu --stage expr --isa all,neon --json > a; actgen show relu --stage expr --isa all --json > b; grep -c '"name"' b; diff a b | grep -c neon
actgen show relu --stage expr --isa arm64,x86-64,neon | grep -c '^== relu, x86-64'
--- exit 0
--- stdout
*
1
1
--- stderr
