/* Reads PTX and runs one thread after another, as the text says, where there is no GPU. Operands are in this
 * machine's memory, at the given addresses. An access that is not aligned to its size ends the program, as it
 * would on a GPU.
 *
 * The machine knows only the text that LLVM writes for kernels: parameters of 8 bytes, and no
 * calls within calls. */
#include "ptx.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef uint64_t u64;

__attribute__((format(printf, 1, 2), noreturn)) static void give_up(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vprintf(format, list);
    va_end(list);
    printf("\n");
    exit(1);
}

/* ---- the text, decoded ---- */

enum {
    KINDS = 7,
    MOST_OF_KIND = 2048,
    MOST_REGISTERS = KINDS * MOST_OF_KIND,
    MOST_PARAMETERS = 64,
    MOST_WORDS = 80
};
enum what { COMPUTE, SPLIT, JOIN, LOAD, STORE, LOAD_PARAMETER, STORE_PARAMETER, CALL, BRANCH, RETURN };
enum special {
    TID_X = MOST_REGISTERS,
    TID_Y,
    NTID_X,
    NTID_Y,
    CTAID_X,
    CTAID_Y,
    NCTAID_X,
    NCTAID_Y,
    SPECIAL_END
};

struct value { /* A register, or a constant if `at` is negative. */
    int at;
    u64 bits;
};

struct instruction {
    enum what what;
    ptx_compute *compute;
    int condition; /* A register, or -1 for always. */
    int negated;
    /* The number of values in memory, or of those that are split or joined, and the size of each. */
    unsigned count, bytes;
    int to[4]; /* The registers that are written. */
    struct value from[4], address;
    u64 offset; /* An offset to the address, or into the parameters. */
    /* The instruction of a branch, or the function of a call. */
    size_t target;
    char label[32]; /* The label of a branch, until the function ends. */
};

struct function {
    char name[96];
    struct instruction *code;
    size_t count;
};

struct label {
    char name[32];
    size_t at;
};

struct table {
    char name[16];
    unsigned char *data;
};

static struct function *functions;
static struct table *tables;
static struct label *labels; /* The labels of the function that is read. */
static size_t function_count, table_count, label_count;

/* Makes room for one more, by doubling. */
static void *longer(void *list, size_t count, size_t size)
{
    if (count & (count - 1)) return list;
    list = realloc(list, (count ? 2 * count : 1) * size);
    if (!list) give_up("no memory");
    return list;
}

static void copy_name(char *to, size_t size, const char *name)
{
    if (strlen(name) >= size) give_up("the name %s is long", name);
    strcpy(to, name);
}

/* Returns the text after the prefix, or NULL. */
static const char *behind(const char *text, const char *prefix)
{
    const size_t length = strlen(prefix);
    return strncmp(text, prefix, length) ? NULL : text + length;
}

/* Returns the register's number, or -1 if the word is no register. */
static int register_at(const char *word)
{
    static const char *const kinds[KINDS] = {"%p", "%r", "%rd", "%rs", "%f", "%fd", "%h"};
    static const char *const specials[] = {"%tid.x",   "%tid.y",   "%ntid.x",   "%ntid.y",
                                           "%ctaid.x", "%ctaid.y", "%nctaid.x", "%nctaid.y"};
    for (int kind = 0; kind < KINDS; kind++) {
        const char *digits = behind(word, kinds[kind]);
        if (!digits || *digits < '0' || *digits > '9') continue;
        const int number = atoi(digits);
        if (number >= MOST_OF_KIND) give_up("the register %s is one too many", word);
        return kind * MOST_OF_KIND + number;
    }
    /* LLVM 19 writes this name for a half that nothing reads. */
    if (!strcmp(word, "tmp")) return MOST_OF_KIND - 1;
    for (int i = 0; i < SPECIAL_END - TID_X; i++)
        if (!strcmp(word, specials[i])) return TID_X + i;
    return -1;
}

static struct value value_of(const char *word)
{
    char *end = NULL;
    struct value v = {register_at(word), 0};
    if (v.at >= 0) return v;
    if (behind(word, "0f") || behind(word, "0d"))
        v.bits = strtoull(word + 2, &end, 16);
    else if (*word == '-')
        v.bits = (u64)strtoll(word, &end, 0);
    else if (*word >= '0' && *word <= '9')
        v.bits = strtoull(word, &end, 0);
    if (end && (!*end || !strcmp(end, "U"))) return v;
    /* The tables of the text itself come last. */
    for (size_t i = table_count; i-- > 0;)
        if (!strcmp(word, tables[i].name)) {
            v.bits = (u64)(uintptr_t)tables[i].data;
            return v;
        }
    give_up("what is the operand %s?", word);
}

static int result_of(const char *word)
{
    const int at = register_at(word);
    if (at < 0 || at >= MOST_REGISTERS) give_up("what is the result %s?", word);
    return at;
}

/* Returns the number of a parameter: <function>_param_<number> for a function, param<number> for a call. */
static u64 parameter_number(const char *word)
{
    const char *number = NULL;
    for (const char *next = word; (next = strstr(next, "param")); number = next) next += strlen("param");
    if (!number) give_up("what is the parameter %s?", word);
    return strtoull(number + (*number == '_'), NULL, 10);
}

static void read_address(struct instruction *i, char *word)
{
    char *plus = strchr(word, '+');
    if (plus) {
        *plus = 0;
        i->offset = strtoull(plus + 1, NULL, 0);
    }
    if (i->what == LOAD_PARAMETER || i->what == STORE_PARAMETER)
        i->offset += 8 * parameter_number(word);
    else
        i->address = value_of(word);
}

/* Reads the count and the size in bytes, as in ".v4.b32". */
static void read_size(struct instruction *i, const char *text)
{
    i->count = behind(text, ".v2") ? 2 : behind(text, ".v4") ? 4 : 1;
    if (i->count > 1) text += 3;
    const long bits = text[0] == '.' && text[1] && strchr("bfu", text[1]) ? strtol(text + 2, NULL, 10) : 0;
    if ((bits != 8 && bits != 16 && bits != 32 && bits != 64) || i->count * bits > 128)
        give_up("an access of %s", text);
    i->bytes = (unsigned)bits / 8;
}

/* Reads a load or store. Returns 0 if it is neither. */
static int read_access(struct instruction *i, char **words, size_t count)
{
    static const struct {
        const char *text;
        enum what what;
    } accesses[] = {{"ld.global.nc", LOAD},       {"ld.global", LOAD},  {"ld.const", LOAD},
                    {"ld.param", LOAD_PARAMETER}, {"st.global", STORE}, {"st.param", STORE_PARAMETER}};
    for (size_t k = 0; k < sizeof accesses / sizeof *accesses; k++) {
        const char *size = behind(words[0], accesses[k].text);
        if (!size) continue;
        i->what = accesses[k].what;
        const int loads = i->what == LOAD || i->what == LOAD_PARAMETER;
        read_size(i, size);
        if (count != i->count + 2) give_up("%s has %zu operands", words[0], count - 1);
        read_address(i, words[loads ? i->count + 1 : 1]);
        for (unsigned n = 0; n < i->count; n++)
            if (loads)
                i->to[n] = result_of(words[n + 1]);
            else
                i->from[n] = value_of(words[n + 2]);
        return 1;
    }
    return 0;
}

/* Reads mov.b32 {%rs1, %rs2}, %r1 and mov.b32 %r1, {%rs1, %rs2}, which have the low half first. */
static void read_halves(struct instruction *i, char **words, size_t count, int splits)
{
    if (count != 4 || (strcmp(words[0], "mov.b32") && strcmp(words[0], "mov.b64")))
        give_up("%s of several", words[0]);
    i->what = splits ? SPLIT : JOIN;
    i->bytes = strcmp(words[0], "mov.b32") ? 4 : 2;
    i->to[0] = result_of(words[1]);
    if (splits) i->to[1] = result_of(words[2]);
    if (!splits) i->from[0] = value_of(words[2]);
    i->from[splits ? 0 : 1] = value_of(words[3]);
}

static void read_computation(struct instruction *i, char **words, size_t count)
{
    i->what = COMPUTE;
    i->compute = ptx_operation(words[0]);
    if (!i->compute || count < 3 || count > 5) give_up("the instruction %s is not known", words[0]);
    i->to[0] = result_of(words[1]);
    for (size_t n = 2; n < count; n++) i->from[n - 2] = value_of(words[n]);
}

static size_t find_function(const char *name)
{
    for (size_t f = 0; f < function_count; f++)
        if (!strcmp(functions[f].name, name)) return f;
    give_up("there is no function %s", name);
}

/* Reads a statement without its semicolon, and takes the text apart. */
static void read_instruction(struct function *f, char *text)
{
    static const struct value nothing = {-1, 0};
    struct instruction i = {
        .condition = -1, .from = {nothing, nothing, nothing, nothing}, .address = nothing};
    char *words[MOST_WORDS], *brace = strchr(text, '{');
    const int has_braces = brace != NULL;
    size_t count = 0;
    const char *first_comma = strchr(text, ',');
    const int splits = brace && first_comma && brace < first_comma;
    for (char *word = strtok(text, " \t\r\n,{}[]()"); word; word = strtok(NULL, " \t\r\n,{}[]()"))
        if (count < MOST_WORDS) words[count++] = word;
    char **first = words;
    if (*words[0] == '@') {
        i.negated = words[0][1] == '!';
        i.condition = result_of(words[0] + 1 + i.negated);
        first++, count--;
    }
    if (!strcmp(first[0], "ret")) {
        i.what = RETURN;
    } else if (behind(first[0], "bra")) {
        i.what = BRANCH;
        copy_name(i.label, sizeof i.label, first[1]);
    } else if (behind(first[0], "call")) {
        i.what = CALL;
        i.target = find_function(first[1]);
    } else if (!read_access(&i, first, count)) {
        if (has_braces)
            read_halves(&i, first, count, splits);
        else
            read_computation(&i, first, count);
    }
    f->code = longer(f->code, f->count, sizeof *f->code);
    f->code[f->count++] = i;
}

static void end_function(struct function *f)
{
    for (size_t n = 0; n < f->count; n++) {
        if (f->code[n].what != BRANCH) continue;
        size_t k = 0;
        while (k < label_count && strcmp(labels[k].name, f->code[n].label) != 0) k++;
        if (k == label_count) give_up("there is no label %s", f->code[n].label);
        f->code[n].target = labels[k].at;
    }
    label_count = 0;
}

/* Reads .const .align 64 .b8 table[32] = {0, 0, ...}. */
static void read_table(char *text)
{
    static const char separators[] = " \t\r\n[]={},";
    struct table t = {{0}, NULL};
    for (char *word = strtok(text, separators); word && !t.data; word = strtok(NULL, separators)) {
        if (*word == '.' || (*word >= '0' && *word <= '9')) {
            if (behind(word, ".b") && strcmp(word, ".b8") != 0) give_up("a table of %s", word);
            continue;
        }
        copy_name(t.name, sizeof t.name, word);
        const size_t size = strtoull(strtok(NULL, separators), NULL, 10);
        if (!(t.data = aligned_alloc(64, (size + 63) / 64 * 64))) give_up("no memory");
        for (size_t i = 0; i < size; i++) {
            /* The text may leave out zeros at the end. */
            const char *number = strtok(NULL, separators);
            t.data[i] = (unsigned char)(number ? atoi(number) : 0);
        }
    }
    tables = longer(tables, table_count, sizeof *tables);
    tables[table_count++] = t;
}

/* Reads a declaration outside of functions. Returns the text after it. */
static char *read_declaration(char *at)
{
    if (behind(at, ".version") || behind(at, ".target") || behind(at, ".address_size"))
        return at + strcspn(at, "\n");
    if (behind(at, ".const") || behind(at, ".global")) {
        char *end = strchr(at, ';');
        *end = 0;
        read_table(at);
        return end + 1;
    }
    const char *name = behind(at, ".visible .entry ");
    if (!name) name = behind(at, ".func ");
    if (!name) give_up("what is %.40s?", at);
    functions = longer(functions, function_count, sizeof *functions);
    struct function *f = &functions[function_count++];
    *f = (struct function){{0}, NULL, 0};
    snprintf(f->name, sizeof f->name, "%.*s", (int)strcspn(name, " (\n"), name);
    return strchr(at, ')') + 1;
}

static void remove_comments(char *text)
{
    for (char *at = text; (at = strstr(at, "//"));)
        while (*at && *at != '\n') *at++ = ' ';
}

void ptx_machine_load(const char *given)
{
    char *text = malloc(strlen(given) + 1);
    int depth = 0;
    if (!text) give_up("no memory");
    strcpy(text, given);
    remove_comments(text);
    for (char *at = text; *(at += strspn(at, " \t\r\n"));) {
        struct function *f = function_count ? &functions[function_count - 1] : NULL;
        char *end = at + strcspn(at, ":;\n");
        if (*at == '{' || *at == '}') {
            depth += *at++ == '{' ? 1 : -1;
            if (!depth) end_function(f);
        } else if (!depth) {
            at = read_declaration(at);
        } else if (*at == '$') {
            labels = longer(labels, label_count, sizeof *labels);
            *end = 0;
            copy_name(labels[label_count].name, sizeof labels->name, at);
            labels[label_count++].at = f->count;
            at = end + 1;
        } else {
            end = strchr(at, ';');
            *end = 0;
            /* Registers and parameters need no declaration here. */
            if (*at != '.') read_instruction(f, at);
            at = end + 1;
        }
    }
    free(text);
}

/* ---- running it ---- */

static u64
    /* The registers of the thread. A called function shares them, because nothing is used after a call. */
    registers[SPECIAL_END];

static u64 get(const struct value *v) { return v->at < 0 ? v->bits : registers[v->at]; }

static unsigned char *memory_of(const struct instruction *i)
{
    const u64 address = get(&i->address) + i->offset;
    if (address % (i->count * i->bytes))
        give_up("an access of %u bytes that is not aligned", i->count * i->bytes);
    return (unsigned char *)(uintptr_t)address;
}

/* Loads values. The machine is little-endian, as a GPU is. */
static void load(const struct instruction *i, const unsigned char *from)
{
    for (unsigned n = 0; n < i->count; n++) {
        registers[i->to[n]] = 0;
        memcpy(&registers[i->to[n]], from + n * i->bytes, i->bytes);
    }
}

static void store(const struct instruction *i, unsigned char *to)
{
    for (unsigned n = 0; n < i->count; n++) {
        const u64 bits = get(&i->from[n]);
        memcpy(to + n * i->bytes, &bits, i->bytes);
    }
}

static void compute(const struct instruction *i)
{
    const u64 in[3] = {get(&i->from[0]), get(&i->from[1]), get(&i->from[2])};
    registers[i->to[0]] = i->compute(in);
}

static void split_or_join(const struct instruction *i)
{
    const unsigned bits = 8 * i->bytes;
    const u64 low = (UINT64_C(1) << bits) - 1, from = get(&i->from[0]);
    if (i->what == SPLIT) {
        registers[i->to[0]] = from & low;
        registers[i->to[1]] = from >> bits & low;
    } else {
        registers[i->to[0]] = (from & low) | (get(&i->from[1]) & low) << bits;
    }
}

static void run(const struct function *f, const u64 *parameters)
{
    u64 passed[MOST_PARAMETERS] = {0};
    for (size_t at = 0; at < f->count; at++) {
        const struct instruction *i = &f->code[at];
        if (i->condition >= 0 && !registers[i->condition] == !i->negated) continue;
        if ((i->what == LOAD_PARAMETER || i->what == STORE_PARAMETER) && i->offset >= sizeof passed)
            give_up("too many parameters");
        switch (i->what) {
        case COMPUTE: compute(i); break;
        case SPLIT:
        case JOIN: split_or_join(i); break;
        case LOAD: load(i, memory_of(i)); break;
        case STORE: store(i, memory_of(i)); break;
        case LOAD_PARAMETER: load(i, (const unsigned char *)parameters + i->offset); break;
        case STORE_PARAMETER: store(i, (unsigned char *)passed + i->offset); break;
        case CALL: run(&functions[i->target], passed); break;
        case BRANCH: at = i->target - 1; break;
        case RETURN: return;
        }
    }
}

void ptx_machine_launch(const char *entry, struct ptx_grid grid, size_t rows, size_t cols,
                        const struct cross_operand *operands)
{
    const struct function *f = &functions[find_function(entry)];
    u64 parameters[MOST_PARAMETERS] = {rows, cols};
    memcpy(&parameters[2], operands, CROSS_NAMES * sizeof *operands);
    const unsigned x = grid.threads[0], y = grid.threads[1];
    const unsigned all = grid.blocks[0] * grid.blocks[1] * x * y;
    for (unsigned n = 0; n < all; n++) {
        const unsigned block = n / (x * y), thread = n % (x * y);
        registers[NTID_X] = x, registers[NTID_Y] = y;
        registers[NCTAID_X] = grid.blocks[0], registers[NCTAID_Y] = grid.blocks[1];
        registers[CTAID_X] = block % grid.blocks[0], registers[CTAID_Y] = block / grid.blocks[0];
        registers[TID_X] = thread % x, registers[TID_Y] = thread / x;
        run(f, parameters);
    }
}
