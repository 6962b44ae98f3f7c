/* A style: the texts of C for the operations of lane programs, in one way of writing C.
 *
 * A value of the lane program is a variable, or two. A register holds the style's lanes of 4 bytes, so a
 * value of 8 bytes takes two registers. If all values of a program have 8 bytes, a vector has half the lanes,
 * and each value is one register. Styles without intrinsics have one variable for each value.
 *
 * A text may have two parts with a line end between them. The second part is for the upper register of two,
 * and for truth values of vectors whose lanes have 8 bytes. In a text:
 *
 *    $1 $2 $3   Operands: the register of the same number, or the only one.
 *    $A $B      The lower and the upper register of the first operand.
 *    %1         The first operand, a truth value, for the lanes of this register.
 *    $c         The constant as a number.
 *    $n         The second operand as a number. It is the amount of a shift, or a number of elements.
 *    $t $k      The table's name, and the number of its entries less one.
 *    $e         An element in memory, or a pointer to a vector's first element.
 *    $v         The value to store.
 *    @name      A helper of the style, or a function of expand.c. The text that uses it includes it. */
#ifndef ACTGEN_SOURCE_STYLE_H
#define ACTGEN_SOURCE_STYLE_H

#include "low_bits.h"
#include "source.h"

/* The texts of an operation, by lane_type_that_chooses(). NULL: source_op_text() says what stands for it. */
struct source_op {
    const char *text[LANE_TYPE_COUNT];
};

/* A lookup in a table that registers hold. Tables with fewer entries are repeated. The text of the op itself
 * reads tables of any size from memory. */
struct source_lookup {
    enum lane_type type;
    unsigned log2_entries;
    const char *text;
};

/* A function that texts use. In its own text, $name stands for its name. */
struct source_helper {
    const char *name, *text;
};

struct source_style {
    const char *name;
    const char *isa;     /* The set whose intrinsics the style has. NULL: the style is for all sets. */
    const char *summary; /* The form of a value, for comments. */
    const char *suffix;  /* The end of the names of helpers. */
    /* The numbers of lanes of 4 bytes and of 8 bytes, in C. NULL: a value is one number. If they differ, a
     * value of 8 bytes among lanes of 4 bytes takes two registers. */
    const char *lanes, *wide_lanes;
    /* The number of vectors that loops take at once if their chains are long. 0: one. */
    unsigned at_once;
    const char *most_lanes; /* The length of arrays of lanes, if the numbers are no constants. */
    bool reads_tables;      /* Reading a table is faster than a function in f32. */
    bool nan_of_ones;       /* As in struct target_isa. */
    const char *function;   /* Stands before the type of each function. */
    const char *value;      /* Stands before the type of functions of values. NULL: function. */
    const char *kernel; /* Stands before the type of a kernel over rows that is called from the host. NULL:
                           function. */
    /* The control of the loops over rows and columns, in styles of one number. NULL: all of them in turn. */
    const char *row_steps, *column_steps;
    const char *table;   /* Stands before the type of each table. */
    const char *opening; /* Includes, checks and types. */
    const char *closing;
    const char *type[LANE_TYPE_COUNT]; /* The type of a register. */
    const char *wide_truth; /* The type of a truth value for lanes of 8 bytes. NULL: type[LANE_TRUTH]. */
    /* A choice of f32 between a constant and a scaled value, in the order in which C compilers make one
     * masked instruction of it. NULL: as other choices. */
    const char *masked_scale;
    /* Joins the truth values of two registers, which are wide_truth. Its operands are $A and $B. */
    const char *joined_truth;
    const char *half_truth; /* The truth value for the lanes of a register, as wide_truth. */
    /* True if a truth value $1 is true in any lane. NULL: rare choices take no branch. */
    const char *any_truth;
    /* The end of the name of the function of one vector, by the type of its first result. */
    const char *ending[LANE_TYPE_COUNT];
    const char *endings;                   /* All of them, in words. */
    const char *alone[LANE_TYPE_COUNT];    /* A product that stays one. NULL: none is needed. */
    const char *compared[LANE_TYPE_COUNT]; /* A value that is compared with 0 (checks.h). */
    const struct source_op *ops;           /* LANE_OP_COUNT rows. */
    /* Elements to lanes and back. The texts *_bits are for lanes that hold the bits of f16 and of bytes. */
    const char *load[ELEMENT_TYPE_COUNT], *store[ELEMENT_TYPE_COUNT];
    /* The first $n elements of a vector, fewer than its lanes. NULL: they go through an array. */
    const char *load_part[ELEMENT_TYPE_COUNT], *store_part[ELEMENT_TYPE_COUNT];
    const char *load_bits[ELEMENT_TYPE_COUNT], *store_bits[ELEMENT_TYPE_COUNT];
    /* Two vectors of elements at once: the text for the even elements, and behind a line end the text for the
     * odd ones. A store has them in $A and $B. NULL: there is no such text. */
    const char *load_pair[ELEMENT_TYPE_COUNT], *store_pair[ELEMENT_TYPE_COUNT];
    const struct source_lookup *lookups;
    size_t lookup_count;
    const struct source_helper *helpers;
    size_t helper_count;
};

extern const struct source_style source_scalar, source_cuda, source_vector, source_avx512, source_avx2,
    source_sse2, source_neon, source_sve2, source_sve, source_rvv;

/* A function that styles without an instruction for it share. Its body is a lane program, so that each style
 * prints it by its own texts. */
struct source_expansion {
    const char *name, *comment;
    unsigned arity;
    enum lane_type type[2];
    lane_value (*build)(lane_program *p, const lane_value *x);
};
const struct source_expansion *source_expansion_find(const char *name, size_t length);

/* Returns the style's text of the operation. Otherwise it is the call of the helper or expansion
 * `<op>_<type>`, such as imin_i64. NULL: the style lacks the operation. */
const char *source_op_text(arena *memory, const struct source_style *s, enum lane_op op, enum lane_type type);

/* Returns the text that rounds to bf16, by that operation, a value of which so much is known. */
const char *source_to_bf16_text(const struct source_style *s, enum lane_op op, enum low_bits low);
/* Returns the text that rounds such a value to the nearest bf16 for a store, which takes the high half. */
const char *source_to_high_half_text(enum low_bits low);

/* The text of a file while it is printed. */
struct source_writer {
    arena *memory;
    const struct source_style *style;
    struct text helpers; /* The helpers that the texts before have used. */
    const char **known;  /* Their names. */
    uint32_t known_count;
    bool has_doubles; /* The text has constants of type double. */
};

/* The values that the placeholders of a text stand for. NULL: the text has none of that kind. */
struct source_words {
    const char *operand[3][2]; /* By register. */
    const char *half;
    const char *constant, *amount, *table, *mask, *element, *value, *name;
};
/* Adds a text. `part` is 1 for its part for the upper register, else 0. */
void source_add(struct text *out, struct source_writer *w, const char *text, unsigned part,
                const struct source_words *words);
/* Does the same, and returns the result. */
const char *source_expanded(struct source_writer *w, const char *text, unsigned part,
                            const struct source_words *words);
/* Includes a function of that name in the file, once, as texts with @name do. Returns its name in C. */
const char *source_include(struct source_writer *w, const char *name, const char *text,
                           struct source_words words);
/* Returns the text as an operand: in parentheses, unless it is a name, a call, or a cast of one. */
const char *source_in_parentheses(arena *memory, const char *text);
/* Returns the number as C writes it. */
const char *source_number(struct source_writer *w, enum lane_type type, uint64_t bits);

/* A function of one vector: parameters for the loads of its program, and its results. */
struct source_function {
    const char *name, *comment, *tables;
    const lane_program *program;
    const uint8_t *low_bits; /* By value (low_bits.h). NULL: nothing is known. */
    /* The parameters, one for each operand that is loaded, and the results. A single result of one register
     * is returned. */
    const struct source_parameter {
        const char *name;
        uint32_t operand;
        enum lane_type type;
        bool is_result;
    } * parameters;
    uint32_t count;
};
void source_function_print(struct text *out, struct source_writer *w, const struct source_function *f);

/* The registers of a program's values. */
struct source_form {
    const struct source_style *style;
    bool is_wide; /* All lanes have 8 bytes, and a vector has style->wide_lanes. */
};
struct source_form source_form_of(const struct source_style *s, const lane_program *p);
unsigned source_registers(struct source_form form, enum lane_type type);
const char *source_type(struct source_form form, enum lane_type type);
/* Returns the name of a register of a value: the name itself if there is only one. */
const char *source_register(arena *memory, const char *name, unsigned registers, unsigned part);
/* Returns the lookup of registers that the style has for the table, or NULL. */
const struct source_lookup *source_lookup_find(const struct source_style *s, const struct lane_table *t);

#endif
