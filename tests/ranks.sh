#!/bin/sh
# ranks.sh ACTGEN FOLDER: tests `actgen verify --mpi` under mpirun. Reports for 1, 2 and 4 ranks must equal that of an
# undivided run. The report of a killed rank must name it, and --resume must repeat only the work that its run left
# undone.
actgen=$1
rm -rf "$2" && mkdir -p "$2" && cd "$2" || exit 1
skip() { echo "SKIPPED: $*"; exit 77; }
fail() { echo "FAILED: $*"; cat said ./*.log 2>/dev/null; exit 1; }
command -v mpirun >/dev/null || skip "no mpirun (Debian's openmpi-bin)"
[ -e "$(dirname "$actgen")/libactgen-mpi.so.0" ] || skip "built without MPI (Debian's libopenmpi-dev)"
# Runs as in a container: as root, and with more ranks than processors.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe
export XDG_CACHE_HOME="$PWD/cache"

# This takes seconds. All inputs of a 16-bit type are in the first part. For two operands a sample is compared, of which
# each part has its own share. Work that is lost or done twice shows in the counts.
cat > three.act <<'ACT'
kernel square(x: bf16) -> (y: bf16) { y = x*x }
kernel add(a: f32, b: f32) -> (y: f32) { y = a + b }
kernel twice(x: bf16) -> (y: bf16) { y = x + x }
ACT
what=./three.act
verify() { "$actgen" verify $what --isa x86-64 --exhaustive "$@"; }
ranks() { count=$1; shift; timeout 300 mpirun -n "$count" "$actgen" verify $what --isa x86-64 --exhaustive --mpi "$@"; }
# Prints a report without the time of compiling.
figures() { sed 's/"compile_ms": [^,]*, //; s/"checksum".*//' "$1"; }
same_as_whole() { figures whole.json > whole.figures; figures "$1" | cmp -s - whole.figures || fail "$1 is not whole.json"; }

verify --report whole.json > whole.log || fail "the undivided run"
grep -q '"name": "add".*"bits_compared": [0-9]\{8\}' whole.json || fail "too little of add is compared to be shared out"
for count in 1 2 4; do
    ranks $count --report of_$count.json > of_$count.log 2> said || fail "$count ranks"
    same_as_whole of_$count.json
    cmp -s of_$count.log whole.log || [ "$(grep -c ' ok ' of_$count.log)" = 3 ] || fail "the table of $count ranks"
done

# Kills rank 2 while it works. The journal has its process. If the rank ended first, tries again.
for try in 1 2 3 4 5; do
    rm -f journal said
    ranks 4 --resume journal --report killed.json > killed.log 2> said &
    run=$!
    victim=
    while [ -z "$victim" ] && kill -0 $run 2>/dev/null; do
        victim=$(sed -n 's/.*"begun_by": 2, .*"process": \([0-9]*\),.*/\1/p' journal 2>/dev/null | head -n 1)
    done
    [ -z "$victim" ] || kill -KILL "$victim" 2>/dev/null
    if wait $run; then continue; fi
    break
done
[ "$try" -lt 5 ] || fail "no rank could be killed in time"
grep -q "rank 2: .*ended by signal 9" said || fail "the killed rank is not named"
[ ! -e killed.json ] || fail "a run that failed left a report"
done_before=$(grep -c '"max_ulp"' journal)
ranks 2 --resume journal --report resumed.json > resumed.log 2> said || fail "the resumed run"
grep -q "rank 2 (.*) did not finish part .* it is done again" said || fail "what the killed rank left is not named"
same_as_whole resumed.json
[ "$(grep -c '"max_ulp"' journal)" = 48 ] || fail "48 parts are not in the journal once each ($done_before were before)"

# A complete journal is only read, also without mpirun. Nothing else may use the journal.
verify --resume journal --report again.json > again.log 2> said || fail "a complete journal"
same_as_whole again.json
"$actgen" verify ./three.act:twice --isa x86-64 --exhaustive --resume journal > other.log 2> said && fail "another verification's journal"
grep -q "is of another verification: square" said || fail "the refusal of another verification's journal"
sed 's/"bits_differ": 0/"bits_differ": 1/' journal > changed
verify --resume changed > changed.log 2> said && fail "a changed journal"
grep -q "'changed' is damaged" said || fail "the refusal of a changed journal"
echo "$done_before of 48 parts were done when rank 2 was killed"
