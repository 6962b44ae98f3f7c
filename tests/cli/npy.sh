# For the scripts in this folder: . $DATA/npy.sh
#     npy TYPE SHAPE NUMBER...   writes a .npy file of small integers to stdout: npy bf16 '(2, 3)' 1 2 3 4 5 6
#     show FILE                  prints the file's shape and its elements, in hexadecimal except for f4 and f8

bytes() { # prints the bytes of a number, the least first, as printf escapes
    case $1 in
    i8 | u8) printf '\\%03o' $(($2 & 255)) && return ;;
    i32) printf '\\%03o' $(($2 & 255)) $(($2 >> 8 & 255)) $(($2 >> 16 & 255)) $(($2 >> 24 & 255)) && return ;;
    esac
    case $2 in -*) sign=32768 ;; *) sign=0 ;; esac
    case ${2#-} in # the top two bytes of bf16 and f32, of f16, of f64
    0) set -- "$1" 0 0 0 ;;
    1) set -- "$1" 0x3f80 0x3c00 0x3ff0 ;;
    2) set -- "$1" 0x4000 0x4000 0x4000 ;;
    3) set -- "$1" 0x4040 0x4200 0x4008 ;;
    4) set -- "$1" 0x4080 0x4400 0x4010 ;;
    5) set -- "$1" 0x40a0 0x4500 0x4014 ;;
    6) set -- "$1" 0x40c0 0x4600 0x4018 ;;
    7) set -- "$1" 0x40e0 0x4700 0x401c ;;
    8) set -- "$1" 0x4100 0x4800 0x4020 ;;
    9) set -- "$1" 0x4110 0x4880 0x4022 ;;
    esac
    case $1 in
    f32) zeros='\000\000' top=$2 ;;
    bf16) zeros='' top=$2 ;;
    f16) zeros='' top=$3 ;;
    f64) zeros='\000\000\000\000\000\000' top=$4 ;;
    e5m2) printf '\\%03o' $((($3 + sign) >> 8)) && return ;; # the upper half of f16
    esac
    printf '%s\\%03o\\%03o' "$zeros" $(((top + sign) & 255)) $(((top + sign) >> 8))
}

npy() {
    case $1 in f32) code='<f4' ;; f64) code='<f8' ;; f16) code='<f2' ;; bf16) code='<u2' ;; e5m2 | u8) code='|u1' ;; i8) code='|i1' ;; i32) code='<i4' ;; esac
    type=$1 data=
    printf '\223NUMPY\001\000\166\000%-117s\n' "{'descr': '$code', 'fortran_order': False, 'shape': $2, }"
    shift 2
    for number; do data=$data$(bytes $type $number); done
    printf "$data"
}

show() {
    header=$(head -c 127 "$1" | tr -d '\0' | LC_ALL=C sed 's/^[^{]*//')
    case $header in *"'<f4'"*) format=f4 ;; *"'<f8'"*) format=f8 ;; *"'|u1'"*) format=x1 ;; *"'|i1'"*) format=d1 ;; *) format=x2 ;; esac
    echo "$header" | sed "s/.*'descr': '\([^']*\)'.*'shape': \(([^)]*)\).*/\1 \2/"
    od -An -v -w1024 -t $format -j 128 "$1" | sed 's/  */ /g; s/^ //'
}
