/* Texts with which a file refuses to be compiled where its bits would differ. */
#ifndef ACTGEN_SOURCE_CHECKS_H
#define ACTGEN_SOURCE_CHECKS_H

/* Macros of options that let compilers change what is computed. */
#define EXACT_OPTIONS                                                                                        \
    "#if defined(__FAST_MATH__) || defined(__ASSOCIATIVE_MATH__) || defined(__RECIPROCAL_MATH__) || \\\n"    \
    "    defined(__NO_SIGNED_ZEROS__) || (defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__ > 0) || "    \
    "\\\n"                                                                                                   \
    "    defined(_M_FP_FAST)\n"                                                                              \
    "#error \"these functions are exact to the last bit: compile them without -ffast-math and its parts\"\n" \
    "#endif\n"                                                                                               \
    "#include <float.h>\n"                                                                                   \
    "#if FLT_EVAL_METHOD != 0 && FLT_EVAL_METHOD != 16\n"                                                    \
    "#error \"float and double must not be computed in other types: -msse2 -mfpmath=sse on 32-bit x86\"\n"   \
    "#endif\n"

/* Clang has a macro only for all of those options together. Its pragma FENV_ACCESS is an error under each
 * that changes results. It is off again at once, by float_control: FENV_ACCESS OFF would leave Clang 14 with
 * slow instructions. Clang ignores both on processors for which it lacks them. EXACT_CLANG_END ends what
 * begins here. */
#define EXACT_CLANG                                                                                          \
    "#pragma clang diagnostic push\n"                                                                        \
    "#pragma clang diagnostic ignored \"-Wpragmas\"\n"                                                       \
    "#pragma float_control(push)\n"                                                                          \
    "#pragma STDC FENV_ACCESS ON /* refused under -funsafe-math-optimizations and its parts */\n"            \
    "#pragma float_control(pop)\n"                                                                           \
    "#pragma float_control(push)\n"                                                                          \
    "#pragma STDC FP_CONTRACT OFF\n"
#define EXACT_CLANG_END                                                                                      \
    "#pragma STDC FP_CONTRACT DEFAULT\n"                                                                     \
    "#pragma float_control(pop)\n"                                                                           \
    "#pragma clang diagnostic pop\n"

#define EXACT_CHECKS                                                                                         \
    EXACT_OPTIONS "#if defined(__clang__)\n" EXACT_CLANG                                                     \
                  "#elif defined(_MSC_VER)\n#pragma fp_contract(off)\n#endif\n"
/* Since version 17.0 of Visual Studio 2022, products and sums stay apart by default. */
#define EXACT_END                                                                                            \
    "\n#if defined(__clang__)\n" EXACT_CLANG_END                                                             \
    "#elif defined(_MSC_VER) && _MSC_VER < 1930\n#pragma fp_contract(on)\n#endif\n"

/* GCC has no macro of the option. The check also refuses processors whose double is a float. */
#define EXACT_DOUBLES                                                                                        \
    "\n#ifndef ACTGEN_DOUBLES\n#define ACTGEN_DOUBLES /* -fsingle-precision-constant is refused: */\n"       \
    "typedef char actgen_constants_are_double[sizeof 1.0 == 8 ? 1 : -1];\n#endif\n"

/* Compilers call a long function, and load its constants in each turn of a loop. Inlined, these stay in
 * registers. */
#define INLINE_MACRO                                                                                         \
    "\n#ifndef ACTGEN_INLINE\n#if defined(_MSC_VER) && !defined(__clang__)\n"                                \
    "#define ACTGEN_INLINE __forceinline\n"                                                                  \
    "#else\n#define ACTGEN_INLINE inline __attribute__((always_inline))\n#endif\n#endif\n"

/* Clang before version 16 makes `x <= 0 ? -0 : x` of `x < 0 ? -0 : x` (llvm-project, issue 57357). So it must
 * not see that the compared value is also one of the values of a choice. */
#define COMPARED_HELPER(name, function, type, constraint)                                                    \
    {                                                                                                        \
        name, "/* Clang before 16 mistakes 0 for -0 where it knows what is compared with 0. */\n" function   \
              " " type " $0(" type " x)\n{\n#if defined(__clang__) && __clang_major__ < 16\n"                \
              "    __asm__(\"\" : \"" constraint "\"(x));\n#endif\n    return x;\n}\n"                       \
    }
#define COMPARED_HELPERS(function, f32, f64, constraint)                                                     \
    COMPARED_HELPER("compared_f32", function, f32, constraint),                                              \
        COMPARED_HELPER("compared_f64", function, f64, constraint)
#define COMPARED_TEXTS                                                                                       \
    {                                                                                                        \
        [LANE_F32] = "@compared_f32($v)", [LANE_F64] = "@compared_f64($v)"                                   \
    }

/* GCC joins products with sums, and has no pragma against it. A statement without instructions keeps it from
 * seeing both. */
#define ALONE_MACRO                                                                                          \
    "/* GCC joins products and sums into fma by default, and has no pragma against it. With\n"               \
    " * -ffp-contract=off, define ACTGEN_FP_CONTRACT_OFF: loops can then become vector code. */\n"           \
    "#ifndef ACTGEN_ALONE\n"                                                                                 \
    "#if !defined(__GNUC__) || defined(__clang__) || defined(ACTGEN_FP_CONTRACT_OFF) || \\\n"                \
    "    !(defined(__FP_FAST_FMAF) || defined(__FP_FAST_FMA))\n"                                             \
    "#define ACTGEN_ALONE(x) (void)0\n"                                                                      \
    "#elif defined(__x86_64__) || defined(__i386__)\n"                                                       \
    "#define ACTGEN_ALONE(x) __asm__(\"\" : \"+x\"(x))\n"                                                    \
    "#elif defined(__aarch64__) || defined(__arm__)\n"                                                       \
    "#define ACTGEN_ALONE(x) __asm__(\"\" : \"+w\"(x))\n"                                                    \
    "#elif defined(__powerpc__)\n"                                                                           \
    "#define ACTGEN_ALONE(x) __asm__(\"\" : \"+d\"(x))\n"                                                    \
    "#elif defined(__riscv) || defined(__s390__) || defined(__mips__) || defined(__loongarch__)\n"           \
    "#define ACTGEN_ALONE(x) __asm__(\"\" : \"+f\"(x))\n"                                                    \
    "#else\n"                                                                                                \
    "#error \"compile with -ffp-contract=off, and define ACTGEN_FP_CONTRACT_OFF\"\n"                         \
    "#endif\n"                                                                                               \
    "#endif\n"

/* Does it for vectors. Clang's pragma does nothing under -ffp-contract=fast. Its fence stands only where sums
 * may change their order, which the fence itself forbids. */
#define ALONE_VECTOR(type)                                                                                   \
    {                                                                                                        \
        "alone_" type,                                                                                       \
            "/* Compilers join products and sums into fma: GCC by default, Clang if it is told to. */\n"     \
            "static ACTGEN_INLINE actgen_" type "v $0(actgen_" type "v x)\n{\n"                              \
            "#if defined(__clang__) && __clang_major__ >= 19 && "                                            \
            "(defined(__x86_64__) || defined(__aarch64__))\n"                                                \
            "#pragma clang fp reassociate(on)\n    return __arithmetic_fence(x);\n"                          \
            "#elif defined(__clang__) || defined(ACTGEN_FP_CONTRACT_OFF) || \\\n"                            \
            "    !(defined(__FP_FAST_FMAF) || defined(__FP_FAST_FMA))\n    return x;\n"                      \
            "#elif __GNUC__ >= 12\n    return __builtin_assoc_barrier(x);\n#else\n"                          \
            "#error \"compile with -ffp-contract=off, and define ACTGEN_FP_CONTRACT_OFF\"\n#endif\n}\n"      \
    }

#endif
