/* The architectures that instruction sets are of. */
#include "architecture.h"

static const struct architecture *const architectures[ARCHITECTURE_COUNT] = {
#define ARCHITECTURE(enumerator, name) [enumerator] = &architecture_##name,
    TARGET_ARCHITECTURES(ARCHITECTURE)
#undef ARCHITECTURE
};

const struct architecture *architecture_of(const struct target_isa *isa)
{
    return architectures[isa->architecture];
}

void architectures_start(void)
{
    for (unsigned a = 0; a < ARCHITECTURE_COUNT; a++) architectures[a]->start();
}
