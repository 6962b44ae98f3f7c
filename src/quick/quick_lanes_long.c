/* Compiles quick_lanes.c for long doubles where they are IEEE numbers and longer than doubles. */
#include <float.h>

#if LDBL_MANT_DIG == 64 || LDBL_MANT_DIG == 113
#define QUICK_LONG
#define QUICK_TABLE quick_ops_long
#include "quick_lanes.c"

const quick_op_table *quick_ops(size_t i) { return i ? NULL : &quick_ops_long; }
#endif
