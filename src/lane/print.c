/* Prints lane programs as stable text: the profile, one line per instruction, the tables. */
#include "half.h"
#include "lane.h"

#include <string.h>

/* Prints a constant. Only its bits count. The number after them is for the reader. */
static void print_constant(struct text *out, enum lane_type type, uint64_t bits)
{
    if (type == LANE_F32) {
        float f;
        uint32_t low = (uint32_t)bits;
        memcpy(&f, &low, sizeof f);
        text_add(out, "0x%08x (%.9g)", (unsigned)low, (double)f);
    } else if (type == LANE_F64) {
        double d;
        memcpy(&d, &bits, sizeof d);
        text_add(out, "0x%016llx (%.17g)", (unsigned long long)bits, d);
    } else if (type == LANE_F16) {
        text_add(out, "0x%04x (%.5g)", (unsigned)bits, (double)f32_of_f16((uint16_t)bits));
    } else if (type == LANE_I16) {
        text_add(out, "0x%04x (%d)", (unsigned)bits, (int)(int16_t)(uint16_t)bits);
    } else if (type == LANE_I32) {
        text_add(out, "0x%08x (%d)", (unsigned)bits, (int)(int32_t)(uint32_t)bits);
    } else {
        text_add(out, "0x%016llx (%lld)", (unsigned long long)bits, (long long)(int64_t)bits);
    }
}

static void print_table(struct text *out, uint32_t number, const struct lane_table *t)
{
    enum { ENTRIES_A_LINE = 8 };
    uint32_t count = (uint32_t)1 << t->log2_size;
    int digits = (int)lane_type_bytes(t->type) * 2;
    text_add(out, "table %u: %u %s", (unsigned)number, (unsigned)count, lane_types[t->type].name);
    for (uint32_t i = 0; i < count; i++)
        text_add(out, "%s%0*llx", i % ENTRIES_A_LINE ? " " : "\n    ", digits,
                 (unsigned long long)t->bits[i]);
    text_add(out, "\n");
}

static void print_instruction(struct text *out, const lane_program *p, uint32_t number)
{
    const struct lane_instruction *i = &p->code[number];
    if (i->op == LANE_STORE) {
        text_add(out, "store %u, %%%u\n", (unsigned)i->index, (unsigned)i->operand[0]);
        return;
    }
    text_add(out, "%%%u: %s = %s", (unsigned)number, lane_types[i->type].name, lane_ops[i->op].name);
    if (i->op == LANE_LOAD) text_add(out, " %u", (unsigned)i->index);
    if (i->op == LANE_LOOKUP) text_add(out, " table %u,", (unsigned)i->index);
    if (i->op == LANE_CONST) {
        text_add(out, " ");
        print_constant(out, i->type, i->bits);
    }
    for (unsigned k = 0; k < lane_ops[i->op].arity; k++)
        text_add(out, "%s%%%u", k ? ", " : " ", (unsigned)i->operand[k]);
    text_add(out, "\n");
}

void lane_print(struct text *out, const lane_program *p)
{
    text_add(out, "profile %s\n", p->profile.name);
    for (uint32_t n = 0; n < p->count; n++) print_instruction(out, p, n);
    for (uint32_t t = 0; t < p->table_count; t++)
        /* Tables come last, because they may have hundreds of words. */
        print_table(out, t, &p->tables[t]);
}
