/* A text in which scripts/mutate finds faults (mutate.sh). None is in comments: a < b && 1. */
#define ALSO_NONE (1 + 2)
static const int outside = 3;

static bool first(int a, const char *text)
{
    const struct pair zero = {0};
    if (a < 10 && !text) return false; /* 1 < 2 */
    puts("no 1 < 2 here");
    return a == 1.5 || a - 0x10 > zero.a;
}

void second(int *b)
{
    if (!b) return;
    *b += 1;
}
