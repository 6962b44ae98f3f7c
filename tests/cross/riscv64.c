/* Tests on RISC-V whether src/target/ finds its vectors, by the system's answers, and whether src/loader/
 * carries out the relocations of an object. The program does without the library, as on arm64. Usage:
 * `main ANSWER FOUND MAKER OBJECT`. */
#include "kernel.h"
#include "loader.h"
#include "target.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COUNT = 1 << 10, HWPROBE = 258, MAKER = 1001, ARCHITECTURE_ID = 1002, LARGEST_OBJECT = 1 << 20 };

static const char *answer;

/* Answers the system calls of this program, which the linker sends here. The emulator's system may be
 * older than riscv_hwprobe. */
long __wrap_syscall(long number, ...)
{
    struct {
        int64_t key;
        uint64_t value;
    } * pair;
    va_list arguments;
    va_start(arguments, number);
    pair = va_arg(arguments, void *);
    va_end(arguments);
    if (number != HWPROBE || !strcmp(answer, "-")) {
        errno = ENOSYS;
        return -1;
    }
    if (!strcmp(answer, "unknown"))
        pair->key = -1;
    else
        pair->value = pair->key == 0 ? MAKER : pair->key == 1 ? ARCHITECTURE_ID : strtoull(answer, NULL, 10);
    return 0;
}

static char object[LARGEST_OBJECT];

static int fail(const char *what)
{
    printf("%s\n", what);
    return 1;
}

/* Checks that the loaded kernel and the linked one have equal bits. */
static int compare(const char *path)
{
    static double x[COUNT], linked[COUNT], loaded[COUNT];
    struct diag error = {.status = 0};
    loader_code *code;
    FILE *file = fopen(path, "rb");
    if (!file) return fail("the object cannot be read");
    const size_t size = fread(object, 1, sizeof object, file);
    fclose(file);
    if (loader_load(&code, object, size, &error)) return fail(error.message);
    void (*kernel)(size_t, size_t, const actgen_operand *);
    void *address = loader_symbol(code, "tanh_kernel", &error);
    if (!address) return fail(error.message);
    memcpy(&kernel, &address, sizeof kernel);
    for (int i = 0; i < COUNT; i++) x[i] = (i - COUNT / 2) * 0x1p-6;
    actgen_tanh(1, COUNT, x, linked);
    kernel(1, COUNT, (actgen_operand[]){{x, 0}, {loaded, 0}});
    loader_free(code);
    if (loaded[COUNT - 1] < 0.5) return fail("the loaded kernel wrote no results");
    return memcmp(linked, loaded, sizeof linked) ? fail("the loaded kernel has other results") : 0;
}

int main(int argc, char **argv)
{
    char processor[TARGET_PROCESSOR_SIZE];
    if (argc != 5) return 2;
    answer = argv[1];
    const struct target_isa *isa = target_isa_find("host");
    const char *found = isa ? isa->name : "none";
    target_processor_here(processor);
    printf("%s: %s is found\n", processor, found);
    if (strcmp(found, argv[2]) != 0 || strcmp(processor, argv[3]) != 0) return 1;
    return isa ? compare(argv[4]) : 0;
}
