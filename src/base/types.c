#include "types.h"

const struct element_type_info element_types[ELEMENT_TYPE_COUNT] = {
#define TYPE(enumerator, name, bytes, usable, precision, least, most)                                        \
    [enumerator] = {name, bytes, usable, precision, least, most},
    ELEMENT_TYPES(TYPE)
#undef TYPE
};

bool element_is_half(enum element_type type) { return type == ELEMENT_F16 || type == ELEMENT_BF16; }
