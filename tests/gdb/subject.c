/* Prints formulas and a lane program by the C printers, and stops before each one, where gdb prints it by
 * scripts/actgen_gdb.py. printers.sh compares the two texts. */
#include "formulas.h"
#include "lane.h"

#include <stdio.h>

/* gdb stops here and prints the arguments. */
void show(const expr *e, const lane_program *program) __attribute__((noinline));
void show(const expr *e, const lane_program *program)
{
    __asm__ volatile("" : : "r"(e), "r"(program) : "memory");
}

static const char *const formulas[] = {
    "x x normcdf *",
    "x 2 * ^3 1 + ^-2 x neg tanh / 1 -",
    "x y * 1/3 + x y - y x - - *",
    "1/8 x * 1234567890123456789 + 1/1024 exp - pi * inf min",
    "x ^1/3 y f32 max -7 x * +",
    "x y < x 0 == not and x y <= or x neg neg y if",
    "x y < x 0 == or x 1 < and x y if",
    "x 1 + 2 x + * 3 x / y / / neg",
    "1/10000000000 x * 1/3 neg x ^2 * +",
};

int main(void)
{
    setvbuf(stdout, NULL, _IONBF, 0);
    arena *memory = arena_create(0);
    expr_dag *dag = expr_dag_create(memory, FORMULA_NODES);
    const struct target_isa *isa = target_isa_at(0);
    lane_program *p = lane_create(memory, &isa->profile);
    static const uint64_t bits[8] = {1, 0x3f800000, 3, 4, 5, 6, 7, 8};
    const lane_value x = lane_load(p, LANE_F32, 0), half = lane_const(p, LANE_F32, -0.1);
    const lane_value sum = lane_add(p, lane_unary(p, LANE_ABS, x), half);
    const lane_value wide =
        lane_binary(p, LANE_MUL, lane_unary(p, LANE_WIDEN, sum), lane_const(p, LANE_F64, 0x1p-80));
    const lane_value place =
        lane_binary(p, LANE_AND, lane_unary(p, LANE_BITCAST, x), lane_const(p, LANE_I32, -7));
    const lane_value entry = lane_lookup(p, lane_table_add(p, LANE_F32, 3, bits), place);
    lane_store(p, lane_select(p, lane_binary(p, LANE_LT, x, entry), lane_unary(p, LANE_NARROW, wide), x), 1);
    for (size_t i = 0; i < sizeof formulas / sizeof *formulas; i++) {
        struct text t = text_new(memory);
        const expr *e = formula(dag, formulas[i]);
        show(e, p);
        expr_print(&t, e, NULL);
        printf("C: %s\n", t.data);
    }
    struct text t = text_new(memory);
    show(NULL, p);
    lane_print(&t, p);
    printf("%s", t.data);
    /* A use of lane_ops, so that its type is among the debug information. */
    printf("end: ops have up to %u operands\n", (unsigned)lane_ops[LANE_SELECT].arity);
    arena_free(memory);
    return 0;
}
