/* Formulas of one variable as straight-line code, for the judge. */
#ifndef JUDGE_FORMULA_H
#define JUDGE_FORMULA_H

enum code {
    CODE_X,
    CODE_NUMBER,
    CODE_NEGATE,
    CODE_ADD,
    CODE_SUBTRACT,
    CODE_MULTIPLY,
    CODE_DIVIDE,
    CODE_CHOOSE, /* The third operand if the first is less than the second, else the fourth. */
#define F(name) CODE_##name,
#include "functions.def"
#undef F
};

enum { MOST_STEPS = 160 };

struct formula {
    struct step {
        enum code code;
        int operand[4];  /* Steps before this one. */
        char number[48]; /* The text of a number. */
        int is_constant; /* No operand depends on x. */
    } step[MOST_STEPS];
    int count; /* The last step is the value. */
};

/* Reads a formula with the operators of C and ?: whose conditions are comparisons by < and >. `pi` and the
 * names of functions.def are known. `w = FORMULA; ` before it names a part by a letter other than x. Returns
 * where it stopped for want of sense, or null. */
const char *formula_parse(struct formula *f, const char *text);

#endif
