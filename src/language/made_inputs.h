/* The inputs of a kernel that no call gives: random numbers, which a seed and an offset determine, numbers of
 * rows and columns, and totals of the row, which are computed from the operands.
 *
 * Formulas use them as they use operands. While formulas are read, they have the next numbers after the
 * operands, in the order of their first use. Then place_made_inputs numbers them once: draws, numbers of
 * places, then totals.
 * The values of a list are operands, so they need no place here. */
#ifndef ACTGEN_MADE_INPUTS_H
#define ACTGEN_MADE_INPUTS_H

#include "program.h"

struct made_input {
    bool is_total;
    enum operand_source source; /* SOURCE_MEMORY for a total */
    /* A draw: operands of the kernel, or arguments of the function. For the number of a row they are equal.
     */
    uint32_t seed, offset;
    struct spec_total total;
};

enum {
    SPEC_MAX_DRAWS = 8,
    SPEC_MAX_PLACES = 4,
    MADE_MOST = SPEC_MAX_DRAWS + SPEC_MAX_PLACES +
                3 * SPEC_MAX_TOTALS /* a gradient may have three totals for each total */
};

struct made_inputs {
    const struct spec_kernel *kernel; /* NULL for a function or a bound */
    uint32_t first; /* the number of the first input here, after the operands or arguments */
    uint32_t count;
    struct made_input list[MADE_MOST];
    /* The number of nested `diff`s at the moment. Each has a variable of its own, from the last possible
     * input down. */
    uint32_t variables;
};

/* Returns the input that holds what `made` describes. Equal ones share an input. Returns NULL after an error,
 * if there are too many. */
const expr *made_input(struct program *p, const struct frame *f, struct span place,
                       const struct made_input *made);
/* Returns the index of an equal input, or `count` if there is none. */
uint32_t made_find(const struct made_inputs *in, const struct made_input *made);
/* Returns the index of an equal input, which it adds if there is none. Returns MADE_MOST if it has no room.
 */
uint32_t made_add(struct made_inputs *in, const struct made_input *made);
/* Returns the totals, or the other inputs, as a set, as in the field `inputs` of a formula. */
uint64_t made_set(const struct made_inputs *in, bool totals);
/* Returns the operands that the input is made of, as such a set; nothing for totals. */
uint64_t made_counters(const struct made_input *made);
/* Returns the number of inputs in a set. */
uint32_t count_inputs(uint64_t set);
/* Returns true if no input is left for another name. */
bool made_is_full(const struct made_inputs *in);

/* Appends those inputs that are in the set `taken` after the operands of the kernel, and renumbers all its
 * formulas. `to` has the new numbers of the operands. The function fills in those of these inputs. */
void place_made_inputs(struct program *p, struct spec_kernel *k, const struct made_inputs *in, uint64_t taken,
                       uint32_t to[SPEC_MAX_OPERANDS]);
/* Appends all of them. The operands keep their numbers. */
void place_all_made_inputs(struct program *p, struct spec_kernel *k, const struct made_inputs *in);

/* Describes the reduction of a value over the columns of a block, or over all if `block` is 0. The adding
 * loop computes squares and magnitudes itself, so they are a form of the total (totals.c). */
struct made_input total_described(enum operand_reduction reduction, uint32_t block, const expr *value);
/* Returns this reduction for a formula at `place`. Returns NULL after an error. */
const expr *total_of(struct program *p, const struct frame *f, struct span place,
                     enum operand_reduction reduction, uint32_t block, const expr *value);
/* Elaborates detach(a total): an equal total, through which no gradient goes. Returns NULL after an error. */
const expr *detached_total(struct program *p, struct frame *f, const struct call *s);
/* Returns the summand of a total as a formula. */
const expr *total_summand(expr_dag *dag, const struct spec_total *t);
/* Returns the input number of the kernel's first total. */
static inline uint32_t first_total(const struct spec_kernel *k) { return k->operand_count + k->made_count; }

#endif
