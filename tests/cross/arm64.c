/* Tests on arm64 which instruction set src/target/ finds on the processor, and which one an object for
 * several sets chooses. The program does without the library, so building it takes a second. Usage: `main
 * FOUND CHOSEN MAKER`, where MAKER is the beginning of the identification. */
#include "all.h"
#include "neon.h"
#include "sve.h"
#include "target.h"

#include <stdio.h>
#include <string.h>

enum { COUNT = 1 << 12 };

static float x[COUNT], all[COUNT], neon[COUNT], sve[COUNT];

/* Returns the chosen set, by the bits of the results. The plan of neon has another profile than that
 * of sve and sve2. */
static const char *chosen(void)
{
    for (int i = 0; i < COUNT; i++) x[i] = ((float)i - COUNT / 2) * 0x1p-9f;
    all_erf(1, COUNT, x, all);
    neon_erf(1, COUNT, x, neon);
    if (memcmp(all, neon, sizeof all) == 0) return "neon";
    /* The processor may lack sve. Then sve was not chosen. */
    sve_erf(1, COUNT, x, sve);
    return memcmp(all, sve, sizeof all) == 0 ? "sve" : "none";
}

int main(int argc, char **argv)
{
    char processor[TARGET_PROCESSOR_SIZE];
    const struct target_isa *found = target_isa_find("host");
    target_processor_here(processor);
    if (argc != 4 || !found) return 2;
    const char *choice = chosen();
    printf("%s: %s is found, %s is chosen\n", processor, found->name, choice);
    return strcmp(found->name, argv[1]) || strcmp(choice, argv[2]) ||
           strncmp(processor, argv[3], strlen(argv[3]));
}
