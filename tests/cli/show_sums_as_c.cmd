actgen show log_softmax --stage libm | grep -o -e ', const float \*total_[0-9][^*]*' -e 'x_data\[i\] - total_0\[i\]' | sort -u
cc=$(command -v cc || command -v gcc || command -v clang-19) || exit 0
actgen show log_softmax --stage libm >a.c && $cc -c a.c -o a.o
--- exit 0
--- stdout
, const float *total_0 /
, const float *total_1 /
, const float *total_2 /
x_data[i] - total_0[i]
--- stderr
