/* quick_lanes.c and quick.c compiled for long doubles, of which no processor makes vectors. */
#include "ziv.h" /* knows both */

#define QUICK_LONG
#define QUICK_TABLE quick_ops_long
#include "quick_lanes.c"

#include "quick.c"
