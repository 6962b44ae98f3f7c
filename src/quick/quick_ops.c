/* Lists the tables that this processor can run. */
#include "quick.h"
#include "wider.h"

const quick_op_table *quick_ops(size_t i)
{
    const quick_op_table *runs[4] = {0};
    size_t count = 0;
    if (runs_avx512()) runs[count++] = &quick_ops_avx512;
    if (runs_avx2_fma()) runs[count++] = &quick_ops_avx2;
    runs[count++] = &quick_ops_plain;
    return i < count ? runs[i] : NULL;
}
