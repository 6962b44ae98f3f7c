# The instructions stand first, and hundreds of table words last.
actgen show gelu --accuracy 'abs 2^-12' --isa avx512 --stage lane | grep -o '^[a-z%][a-z]*' | uniq
--- exit 0
--- stdout
profile
%
store
table
