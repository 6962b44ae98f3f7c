/* Finds if a kernel may compute lanes that nobody asked for. */
#include "interp.h"
#include "spec.h"
#include "thread_state.h"

bool interp_is_quiet_at_zero(const struct lane_kernel *kernel)
{
    static const uint64_t zero; /* for elements of any size */
    uint64_t results[SPEC_MAX_OPERANDS];
    struct kernel_row rows[SPEC_MAX_OPERANDS] = {0};
    interp *own = interp_create_kernel(kernel);
    if (!own) return false;
    for (uint32_t k = 0; k < kernel->operand_count; k++)
        rows[k].data = kernel->operands[k].is_result ? &results[k] : (void *)&zero;
    THREAD_STATE_IN_BLOCK(before, NULL);
    interp_run_row(own, rows, 1);
    const bool is_quiet = !fetestexcept(FE_ALL_EXCEPT & ~FE_INEXACT);
    interp_free(own);
    return is_quiet;
}
