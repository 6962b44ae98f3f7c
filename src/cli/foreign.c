/* Opens functions of other libraries, and calls them for arrays. */
#include "foreign.h"
#include "diagnostics.h"

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* -- functions of one value -- */

typedef float float_function(float);
typedef double double_function(double);

static void call_floats(const struct foreign *f, size_t n, const void *x, void *y)
{
    float_function *const function = (float_function *)f->address;
    for (size_t i = 0; i < n; i++) ((float *)y)[i] = function(((const float *)x)[i]);
}

static void call_doubles(const struct foreign *f, size_t n, const void *x, void *y)
{
    double_function *const function = (double_function *)f->address;
    for (size_t i = 0; i < n; i++) ((double *)y)[i] = function(((const double *)x)[i]);
}

/* -- functions of arrays -- */

/* The arguments of a function of arrays. Every machine that actgen has passes a count and an address in the
 * same way: as an integer of the size of an address. */
typedef void array_function(uintptr_t, uintptr_t, uintptr_t);

static void call_array(const struct foreign *f, size_t n, const void *x, void *y)
{
    uintptr_t arguments[3];
    arguments[f->count_at] = n;
    arguments[f->input_at] = (uintptr_t)x;
    arguments[f->result_at] = (uintptr_t)y;
    ((array_function *)f->address)(arguments[0], arguments[1], arguments[2]);
}

/* -- functions of the vector ABI -- */

static void call_vectors(const struct foreign *f, size_t n, const void *x, void *y)
{
    f->vector_call(f->address, n, x, y);
}

/* -- opening -- */

static int refuse_of(const char *text, const char *why)
{
    return print_error(EXIT_USAGE, "--of '%s': %s", text, why);
}

/* Reads "(n, x, y)" in any order. Returns false if it is something else. */
static bool read_arguments(struct foreign *f, const char *text)
{
    char a, b, c, end, after;
    const char *places;
    if (sscanf(text, " ( %c , %c , %c %c %c", &a, &b, &c, &end, &after) != 4 || end != ')') return false;
    const char order[] = {a, b, c, '\0'};
    if (!(places = strchr(order, 'n'))) return false;
    f->count_at = (unsigned)(places - order);
    if (!(places = strchr(order, 'x'))) return false;
    f->input_at = (unsigned)(places - order);
    if (!(places = strchr(order, 'y'))) return false;
    f->result_at = (unsigned)(places - order);
    return true;
}

int foreign_open(struct foreign *f, const char *text)
{
    *f = (struct foreign){.text = text};
    const size_t length = strcspn(text, "(");
    size_t colon = length;
    while (colon && text[colon - 1] != ':') colon--;
    if (colon < 2 || colon == length)
        return refuse_of(text, "write LIBRARY:SYMBOL, such as libm.so.6:expf or ./libx.so:gelu(n, x, y)");
    f->is_of_arrays = text[length] == '(';
    if (f->is_of_arrays && !read_arguments(f, text + length))
        return refuse_of(text, "the arguments of a function of arrays are n, x and y, once each: (n, x, y)");
    char library[4096], symbol[1024];
    if (colon > sizeof library || length - colon >= sizeof symbol)
        return refuse_of(text, "the name is too long");
    snprintf(library, sizeof library, "%.*s", (int)(colon - 1), text);
    snprintf(symbol, sizeof symbol, "%.*s", (int)(length - colon), text + colon);
    f->library = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    if (!f->library) return print_error(EXIT_IO, "--of: %s", dlerror());
    *(void **)&f->address = dlsym(f->library, symbol); /* POSIX lets an object's pointer hold a function */
    if (!f->address) return print_error(EXIT_INPUT, "--of: %s has no function '%s'", library, symbol);
    return EXIT_GOOD;
}

static const char *take_vector_form(struct foreign *f, const char *symbol, int type)
{
    const struct vector_form *form = vector_forms;
    while (form->prefix && strncmp(symbol, form->prefix, strlen(form->prefix)) != 0) form++;
    if (!form->prefix)
        return "this form of the vector ABI is not known here: unmasked functions of one vector are";
    if (form->type != type) return "its vectors have elements of another type than the kernel";
    if (!actgen_isa_runs_here(form->isa)) return "this processor lacks its instruction set";
    f->vector_call = form->call;
    f->call = call_vectors;
    return NULL;
}

const char *foreign_take_types(struct foreign *f, int type, int result_type)
{
    const char *colon = strrchr(f->text, ':');
    f->type = type;
    f->result_type = result_type;
    if (f->is_of_arrays) {
        f->call = call_array;
        return NULL;
    }
    if (result_type != type) return "its result has the type of its input, and the kernel's result another";
    if (!strncmp(colon + 1, "_ZGV", 4)) return take_vector_form(f, colon + 1, type);
    f->call = type == ACTGEN_F32 ? call_floats : type == ACTGEN_F64 ? call_doubles : NULL;
    if (f->call) return NULL;
    return "a function of one value has f32 or f64; other types need arrays: SYMBOL(n, x, y)";
}

void foreign_close(struct foreign *f)
{
    if (f->library) dlclose(f->library);
}

void foreign_judged(void *foreign, size_t n, const void *x, void *y)
{
    const struct foreign *f = foreign;
    f->call(f, n, x, y);
}

/* -- places -- */

enum { LONGEST = 67, OFFSETS = 8, INPUTS = LONGEST + OFFSETS, ELEMENT_MOST = 8 };

/* Fills the array with values that networks have. For 16 bits these are bits of such values: of bf16 from -4
 * to 4, which are small in f16 as well. For 8 bits their low bytes serve. */
static void fill(unsigned char *x, int type)
{
    uint64_t state = 1;
    for (size_t i = 0; i < INPUTS; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        const double value = ((double)(state >> 33) * 0x1p-31 - 0.5) * 16;
        const float f32 = (float)value;
        const uint16_t bits = (uint16_t)(0x3f80 + state % 0x100 + (state >> 32 & 0x8000));
        const void *from = type == ACTGEN_F64   ? (const void *)&value
                           : type == ACTGEN_F32 ? (const void *)&f32
                                                : (const void *)&bits;
        memcpy(x + i * actgen_type_bytes(type), from, actgen_type_bytes(type));
    }
}

void foreign_find_place(struct foreign_place *out, const struct foreign *f)
{
    enum { ROOM = INPUTS * ELEMENT_MOST };
    _Alignas(64) unsigned char x[ROOM], y[ROOM], alone[ROOM];
    const size_t bytes = actgen_type_bytes(f->type), out_bytes = actgen_type_bytes(f->result_type);
    *out = (struct foreign_place){0};
    if (!f->is_of_arrays) return;
    fill(x, f->type);
    for (size_t i = 0; i < INPUTS; i++) f->call(f, 1, x + i * bytes, alone + i * out_bytes);
    for (size_t length = 1; length <= LONGEST; length++)
        for (size_t offset = 0; offset < OFFSETS; offset++) {
            f->call(f, length, x + offset * bytes, y + offset * out_bytes);
            for (size_t i = offset; i < offset + length; i++) {
                if (!memcmp(y + i * out_bytes, alone + i * out_bytes, out_bytes)) continue;
                *out = (struct foreign_place){
                    .is_found = true, .length = length, .element = i - offset, .offset = offset};
                return;
            }
        }
}
