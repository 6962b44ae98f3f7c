#include "types.h"

const struct element_type_info element_types[ELEMENT_TYPE_COUNT] = {
#define TYPE(enumerator, name, bytes, usable) [enumerator] = {name, bytes, usable},
    ELEMENT_TYPES(TYPE)
#undef TYPE
};
