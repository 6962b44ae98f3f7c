/* Reads PTX. It knows only the text that LLVM writes for kernels: parameters of 8 bytes, and no calls within
 * calls. */
#include "ptx_text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void ptx_give_up(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vprintf(format, list);
    va_end(list);
    printf("\n");
    exit(1);
}

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
    if (!list) ptx_give_up("no memory");
    return list;
}

static void copy_name(char *to, size_t size, const char *name)
{
    if (strlen(name) >= size) ptx_give_up("the name %s is long", name);
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
        if (number >= MOST_OF_KIND) ptx_give_up("the register %s is one too many", word);
        return kind * MOST_OF_KIND + number;
    }
    /* LLVM 19 writes this name for a half that nothing reads. */
    if (!strcmp(word, "tmp")) return MOST_OF_KIND - 1;
    for (int i = 0; i < NOWHERE - TID_X; i++)
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
    ptx_give_up("what is the operand %s?", word);
}

static int result_of(const char *word)
{
    const int at = strcmp(word, "_") ? register_at(word) : NOWHERE;
    if (at < 0 || (at >= MOST_REGISTERS && at != NOWHERE)) ptx_give_up("what is the result %s?", word);
    return at;
}

/* Returns the number of a parameter: <function>_param_<number> for a function, param<number> for a call. */
static u64 parameter_number(const char *word)
{
    const char *number = NULL;
    for (const char *next = word; (next = strstr(next, "param")); number = next) next += strlen("param");
    if (!number) ptx_give_up("what is the parameter %s?", word);
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
    const long bits = text[0] == '.' && text[1] && strchr("bfsu", text[1]) ? strtol(text + 2, NULL, 10) : 0;
    if ((bits != 8 && bits != 16 && bits != 32 && bits != 64) || i->count * bits > 128)
        ptx_give_up("an access of %s", text);
    i->bytes = (unsigned)bits / 8;
    i->is_signed = text[1] == 's';
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
        if (count != i->count + 2) ptx_give_up("%s has %zu operands", words[0], count - 1);
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
        ptx_give_up("%s of several", words[0]);
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
    if (!i->compute || count < 3 || count > 5) ptx_give_up("the instruction %s is not known", words[0]);
    i->to[0] = result_of(words[1]);
    for (size_t n = 2; n < count; n++) i->from[n - 2] = value_of(words[n]);
}

/* Reads shfl.sync.bfly.b32 to, from, bits, 31, -1, which is for all threads of a warp. */
static void read_exchange(struct instruction *i, char **words, size_t count)
{
    if (count != 6 || strcmp(words[4], "31") != 0 || strcmp(words[5], "-1") != 0)
        ptx_give_up("an exchange that is not of all threads");
    i->to[0] = result_of(words[1]);
    i->from[0] = value_of(words[2]);
    i->from[1] = value_of(words[3]);
}

static size_t find_function(const char *name)
{
    for (size_t f = 0; f < function_count; f++)
        if (!strcmp(functions[f].name, name)) return f;
    ptx_give_up("there is no function %s", name);
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
    if (!strcmp(first[0], "ret") || !strcmp(first[0], "exit")) {
        i.what = RETURN;
    } else if (!strcmp(first[0], "trap")) {
        i.what = TRAP;
    } else if (behind(first[0], "bra")) {
        i.what = BRANCH;
        copy_name(i.label, sizeof i.label, first[1]);
    } else if (behind(first[0], "shfl.sync.bfly.b32")) {
        i.what = EXCHANGE;
        read_exchange(&i, first, count);
    } else if (behind(first[0], "bar.warp.sync")) {
        i.what = MEET;
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
        if (k == label_count) ptx_give_up("there is no label %s", f->code[n].label);
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
            if (behind(word, ".b") && strcmp(word, ".b8") != 0) ptx_give_up("a table of %s", word);
            continue;
        }
        copy_name(t.name, sizeof t.name, word);
        const size_t size = strtoull(strtok(NULL, separators), NULL, 10);
        if (!(t.data = aligned_alloc(64, (size + 63) / 64 * 64))) ptx_give_up("no memory");
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
    if (!name) ptx_give_up("what is %.40s?", at);
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
    if (!text) ptx_give_up("no memory");
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

const struct function *ptx_function(const char *name) { return &functions[find_function(name)]; }

const struct function *ptx_function_at(size_t number) { return &functions[number]; }
