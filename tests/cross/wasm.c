/* Runs the tests in a module of WebAssembly, which wasm.mjs loads. WebAssembly has no guard pages. */
#include "check.h"

static unsigned char memory[CROSS_NAMES][CROSS_MEMORY + 64] __attribute__((aligned(64)));
static struct cross_wrong wrong;
extern unsigned char __heap_base;

__attribute__((export_name("data"))) unsigned char *data_place(void) { return &__heap_base; }

/* Returns how many values were compared, or 0 if one differs. */
__attribute__((export_name("check"))) size_t check(const unsigned char *data, size_t lanes, size_t step)
{
    unsigned char *places[CROSS_NAMES];
    for (size_t i = 0; i < CROSS_NAMES; i++) places[i] = memory[i];
    return cross_check(data, lanes, step, places, &wrong);
}

__attribute__((export_name("hash"))) size_t hash(void)
{
    unsigned char *places[] = {memory[0], memory[1]};
    return cross_hash(32, true, places, &wrong);
}

__attribute__((export_name("kernels"))) size_t kernels(void) { return cross_kernel_count; }
__attribute__((export_name("wrong_kernel"))) const char *wrong_kernel(void) { return wrong.kernel; }
__attribute__((export_name("wrong_number"))) uint64_t wrong_number(int what)
{
    const uint64_t numbers[] = {wrong.rows, wrong.cols,     wrong.name,    wrong.row,
                                wrong.col,  wrong.computed, wrong.expected};
    return numbers[what];
}

/* Functions that compilers may call. */
void *memset(void *to, int value, size_t size);
void *memcpy(void *to, const void *from, size_t size);
void *memset(void *to, int value, size_t size)
{
    volatile unsigned char *at = to;
    while (size--) *at++ = (unsigned char)value;
    return to;
}
void *memcpy(void *to, const void *from, size_t size)
{
    volatile unsigned char *at = to;
    const unsigned char *source = from;
    while (size--) *at++ = *source++;
    return to;
}
