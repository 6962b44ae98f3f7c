/* Chooses a kernel's plans by its plan file, by earlier times, by a race, or by estimates. */
#include "race.h"
#include "tuning.h"

static int plan_by_times(struct lowering *l, actgen_kernel *k, struct planning *p, struct diag *error)
{
    const struct tuning_place place = tuning_place_here(l, k);
    if (!asked_anew(&k->asked) && tuning_find(l, k, p, &place)) return DIAG_OK;
    if (p->ready_only) return not_ready(error);
    const int status = race_kernel(l, k, p, error);
    if (!status) tuning_store(l, k, p, &place);
    return status;
}

int choose_plans(struct lowering *l, actgen_kernel *k, struct planning *p, struct diag *error)
{
    bool found = false;
    const int status = k->asked.plans ? tuning_from_file(&found, l, k, p, error) : DIAG_OK;
    if (status || found) return status;
    return k->asked.plan == ACTGEN_PLAN_ESTIMATE ? lower_plans(l) : plan_by_times(l, k, p, error);
}
