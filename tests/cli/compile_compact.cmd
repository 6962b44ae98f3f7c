for kernel in gelu swiglu; do
    actgen compile $kernel -o full.o
    actgen compile $kernel --compact -o compact.o
    full=$(wc -c <full.o) compact=$(wc -c <compact.o)
    [ $((2 * compact)) -lt "$full" ] && echo short || echo "$kernel: $compact of $full bytes"
done
--- exit 0
--- stdout
short
short
