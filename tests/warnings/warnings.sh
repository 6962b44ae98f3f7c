#!/bin/sh
# warnings.sh ACTGEN SOURCE FOLDER TYPE: tests that compilers take C source of a type without a warning, in each style,
# as C99, C11, C++17 and C++20. A few kernels stand for all, and types other than f32 take two of the versions.
# ACTGEN_TEST_ALL=1 takes all versions and all built-ins. A compiler that the machine lacks is left out by name.
actgen=$1 source=$2 folder=$3 type=$4
all=${ACTGEN_TEST_ALL:-0} failed=0 compiled=0 headers=0 functions=0
warnings='-Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wdouble-promotion -Wundef -Wcast-qual -Wcast-align -Werror'
rm -rf "$folder" && mkdir -p "$folder" && cd "$folder" || exit 1

compilers='gcc gcc-14 clang clang-19 g++ g++-14 clang++ clang++-19'
if [ "$all" != 0 ] || [ "$type" = f32 ]; then c='99 11' cpp='17 20'; else c=99 cpp=20; fi

# Writes a header, and a file that takes the address of each of its functions. So compilers make code of them all.
write() { # NAME OPTIONS... WHAT...
    header=$1
    shift
    "$actgen" compile --emit c --prefix act_ -o "$header.h" "$@" 2>"$header.log" || return 1
    {
        echo "#include \"$header.h\"
typedef void (*any_function)(void);
void take_all(any_function *to);
void take_all(any_function *to)
{"
        sed -n 's/^[a-zA-Z].* void \(act_[a-z0-9_]*\)(size_t rows.*/    *to++ = (any_function)\1;/p' "$header.h" | tee functions
        echo "}"
    } >"$header.c"
    [ -s functions ] || { echo "FAILED: $header.h has no function"; failed=1; }
    headers=$((headers + 1)) functions=$((functions + $(wc -l <functions)))
}

# Compiles the file of a header by each compiler, as each version of its language. Without optimization, intrinsics are
# macros. The other warnings need it.
try() { # NAME OPTIONS
    for compiler in $compilers; do
        command -v "$compiler" >/dev/null || continue
        case $compiler in *++*) language=c++ versions=$cpp ;; *) language=c versions=$c ;; esac
        for version in $versions; do
            case $version in 99 | 17) level=-O0 ;; *) level=-O1 ;; esac
            command="$compiler -x $language -std=$language$version $level $warnings $2 -c $1.c -o $1.o"
            compiled=$((compiled + 1))
            $command 2>"$1.log" && continue
            echo "FAILED: $command"
            head -n 20 "$1.log"
            failed=1
        done
    done
}

# Emits one style, and compiles it.
style() { # NAME OPTIONS-OF-COMPILERS OPTIONS...
    name=$1 options=$2
    shift 2
    files=$source/tests/warnings/kernels.act
    [ "$name" != scalar ] || files="$files $source/tests/warnings/masks.act"
    sed "s/TYPE/$type/g" $files >kernels.act
    if write "$name" "$@" kernels.act; then try "$name" "$options"; else cat "$name.log"; failed=1; fi
    [ "$all" = 0 ] || built_ins "$@"
}

# Does this with all built-ins. Those that C source cannot be are refused by name, and left out. So are those that no
# object of the type can be.
built_ins() { # OPTIONS...
    made=
    for one in $("$actgen" list --json | sed -n 's/.*"name": "\([a-z0-9_]*\)", "alias_of": null.*/\1/p'); do
        if "$actgen" compile --emit c --type "$type" "$@" "$one" -o one.h 2>one.log; then
            made="$made $one"
        elif ! grep -q 'which C source cannot do' one.log &&
            "$actgen" compile --type "$type" "$one" -o one.o 2>/dev/null; then
            cat one.log
            failed=1
        fi
    done
    if write "${name}_built_ins" --type "$type" "$@" $made; then
        try "${name}_built_ins" "$options"
    else
        cat "${name}_built_ins.log"
        failed=1
    fi
}

for compiler in $compilers; do
    command -v "$compiler" >/dev/null || echo "LEFT OUT: no $compiler compiles C source"
done
style scalar '' --style scalar
style vector '' --style vector
case $(uname -m) in
    x86_64)
        style avx512 -march=x86-64-v4 --style intrinsics --isa avx512
        style avx2 -march=x86-64-v3 --style intrinsics --isa avx2
        style sse2 '' --style intrinsics --isa x86-64
        ;;
    aarch64) style neon '' --style intrinsics --isa neon ;;
esac
echo "$type: $headers headers, $functions functions, $compiled compilations"
exit $failed
