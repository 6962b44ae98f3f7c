/* Element types of operands, as the language names them: one row each. */
#ifndef ACTGEN_TYPES_H
#define ACTGEN_TYPES_H

/* TYPE(enumerator, name in a spec, bytes, usable in this version) */
#define ELEMENT_TYPES(TYPE)                                                                                  \
    TYPE(ELEMENT_F32, "f32", 4, 1)                                                                           \
    TYPE(ELEMENT_F64, "f64", 8, 0)                                                                           \
    TYPE(ELEMENT_F16, "f16", 2, 0)                                                                           \
    TYPE(ELEMENT_BF16, "bf16", 2, 0)                                                                         \
    TYPE(ELEMENT_E4M3, "e4m3", 1, 0)                                                                         \
    TYPE(ELEMENT_E5M2, "e5m2", 1, 0)                                                                         \
    TYPE(ELEMENT_I8, "i8", 1, 0)                                                                             \
    TYPE(ELEMENT_U8, "u8", 1, 0)                                                                             \
    TYPE(ELEMENT_U64, "u64", 8, 0)

enum element_type {
#define TYPE(enumerator, name, bytes, usable) enumerator,
    ELEMENT_TYPES(TYPE)
#undef TYPE
        ELEMENT_TYPE_COUNT
};

struct element_type_info {
    const char *name;
    unsigned bytes;
    unsigned usable;
};

extern const struct element_type_info element_types[ELEMENT_TYPE_COUNT];

#endif
