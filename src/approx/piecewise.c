/* Piecewise plans: what the function is made of, and which segmentations to try. */
#include "piecewise.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { VALUE_BITS = 100 };

static bool precise(quad *out, reference *truth, double x)
{
    mpfr_t value;
    mpfr_init2(value, VALUE_BITS + 6);
    bool known = reference_precise(truth, &x, VALUE_BITS, value) == REFERENCE_DECIDED && mpfr_number_p(value);
    if (known) *out = quad_of_mpfr(value);
    mpfr_clear(value);
    return known;
}

static bool side_has_base(enum base base, bool negative)
{
    return base == BASE_IDENTITY || base == (negative ? BASE_MIN : BASE_MAX);
}

/* The side of which h is taken where both give the same: the one without the base, for accuracy. */
static bool side_of(const struct decomposition *f, bool negative)
{
    return f->symmetry == SYMMETRY_NONE ? negative : f->base == BASE_MAX;
}

bool piecewise_value(quad *out, const struct decomposition *f, reference *truth, double t, bool negative)
{
    negative = side_of(f, negative);
    double x = negative ? -t : t;
    if (!precise(out, truth, x)) return false;
    if (side_has_base(f->base, negative)) *out -= x;
    *out -= f->middle;
    return true;
}

/* Points at which symmetry is tested; nothing special about them. */
static const double probes[] = {0.0625, 0.4375, 1.1875, 2.71875, 5.3125, 11.0625, 0x1.8p-10};
enum { PROBE_COUNT = sizeof probes / sizeof *probes };

static bool nearly(quad a, quad b)
{
    return quad_abs(a - b) <= (quad)0x1p-80 * (1 + quad_abs(a) + quad_abs(b));
}

/* Tests f(x) - sign f(-x) = slope x + 2 middle at all probes. */
static bool is_symmetric(const quad *plus, const quad *minus, int sign, int slope, quad sum)
{
    for (int i = 0; i < PROBE_COUNT; i++)
        if (!nearly(plus[i] - sign * minus[i], slope * (quad)probes[i] + sum)) return false;
    return true;
}

/* Whether h has a limit on a side, and from where on it is near it. */
static bool settles(struct decomposition *f, reference *truth, double bound, bool negative)
{
    enum { STEPS_PER_OCTAVE = 4, FIRST = -10 * STEPS_PER_OCTAVE, LAST = 7 * STEPS_PER_OCTAVE };
    static const double step[STEPS_PER_OCTAVE] = {1, 1.1875, 1.4140625, 1.6875};
    quad limit, value;
    if (!piecewise_value(&limit, f, truth, 0x1p10, negative) ||
        !piecewise_value(&value, f, truth, 0x1p20, negative))
        return false;
    if (!(quad_abs(value - limit) <= bound / 8)) return false;
    for (int k = LAST; k >= FIRST; k--) {
        int octave = (k + 64 * STEPS_PER_OCTAVE) / STEPS_PER_OCTAVE - 64;
        double t = ldexp(step[k - octave * STEPS_PER_OCTAVE], octave);
        if (!piecewise_value(&value, f, truth, t, negative)) return false;
        if (quad_abs(value - limit) <= bound / 4) continue;
        if (k == LAST) return false;
        int next = (k + 1 + 64 * STEPS_PER_OCTAVE) / STEPS_PER_OCTAVE - 64;
        f->end = fmax(f->end, ldexp(step[k + 1 - next * STEPS_PER_OCTAVE], next));
        return true;
    }
    return true;
}

static bool settles_with(struct decomposition *f, enum symmetry symmetry, enum base base, reference *truth,
                         double bound)
{
    *f = (struct decomposition){.symmetry = symmetry, .base = base, .middle = f->middle, .end = 0x1p-9};
    if (symmetry != SYMMETRY_NONE) return settles(f, truth, bound, false);
    return settles(f, truth, bound, false) && settles(f, truth, bound, true);
}

bool piecewise_decompose(struct decomposition *out, reference *truth, double bound)
{
    quad plus[PROBE_COUNT], minus[PROBE_COUNT], zero;
    for (int i = 0; i < PROBE_COUNT; i++)
        if (!precise(&plus[i], truth, probes[i]) || !precise(&minus[i], truth, -probes[i])) return false;
    *out = (struct decomposition){0};
    if (is_symmetric(plus, minus, 1, 1, 0))
        return settles_with(out, SYMMETRY_EVEN, BASE_MAX, truth, bound) ||
               settles_with(out, SYMMETRY_EVEN, BASE_MIN, truth, bound);
    if (is_symmetric(plus, minus, 1, 0, 0) && settles_with(out, SYMMETRY_EVEN, BASE_ZERO, truth, bound))
        return true;
    if (is_symmetric(plus, minus, -1, 0, 0) && settles_with(out, SYMMETRY_ODD, BASE_ZERO, truth, bound))
        return true;
    if (precise(&zero, truth, 0) && is_symmetric(plus, minus, -1, 0, 2 * zero)) {
        out->middle = (double)zero;
        if (out->middle == (double)(float)out->middle &&
            settles_with(out, SYMMETRY_POINT, BASE_ZERO, truth, bound))
            return true;
        out->middle = 0;
    }
    for (int base = BASE_ZERO; base <= BASE_IDENTITY; base++)
        if (settles_with(out, SYMMETRY_NONE, (enum base)base, truth, bound)) return true;
    return false;
}

static float float_of_bits(uint32_t bits)
{
    float f;
    memcpy(&f, &bits, sizeof f);
    return f;
}

static uint32_t bits_of_float(float f)
{
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    return bits;
}

/* The offset rounded up to eight bits, so that sums and differences with segment centres are exact. */
static float short_float(double v)
{
    int exponent;
    double fraction = frexp(v, &exponent);
    return (float)ldexp(ceil(fraction * 256) / 256, exponent);
}

/* Segments by the bits of u: the window of 2^octaves from the segment that the offset falls in. */
static bool set_exponent_window(struct piecewise *p, double stretch)
{
    unsigned sides = p->f.symmetry == SYMMETRY_NONE;
    unsigned octave_bits =
        p->log2_entries - sides - p->fraction_bits; /* the index holds this many exponent bits */
    double ratio = ldexp(1, 1 << octave_bits);
    if (ratio > 0x1p16) return false;
    p->offset = short_float(p->f.end / (ratio - 1) * stretch);
    uint32_t start = bits_of_float(p->offset) >> (23 - p->fraction_bits) << (23 - p->fraction_bits);
    double end = (double)float_of_bits(start) * ratio;
    p->limit = float_of_bits(bits_of_float((float)end) - 1);
    return end - (double)p->offset >= p->f.end;
}

/* The last segment is half as wide, like the first; its end must not round up to the segment after it. */
static void set_uniform(struct piecewise *p)
{
    p->width = short_float(p->f.end / ((1u << p->log2_entries) - 0.5));
    p->limit = (float)(((1u << p->log2_entries) - 0.5 - 0x1p-10) * (double)p->width);
}

static void describe(struct candidate *c, const struct piecewise *p, arena *memory)
{
    static const char *const symmetries[] = {"two-sided", "even", "odd", "point"};
    static const char *const bases[] = {"", "max(x,0) + ", "min(x,0) + ", "x + "};
    struct text t = text_new(memory);
    text_add(&t, "%sh, %s, %u %s segments", bases[p->f.base], symmetries[p->f.symmetry],
             1u << p->log2_entries, p->uniform ? "uniform" : "exponent");
    if (!p->uniform) text_add(&t, " of |x| + %g", (double)p->offset);
    text_add(&t, ", degree %u, fit error %.2g", p->degree, p->error);
    c->shape = "piecewise";
    c->description = t.data;
}

struct segmentation {
    bool uniform, exact_argument;
    unsigned fewer_fraction_bits; /* of the index's bits, how many are exponent bits */
    double stretch;
};
static const struct segmentation segmentations[] = {
    {false, false, 2, 1.34}, {false, false, 1, 1}, {false, false, 2, 1},
    {false, true, 2, 1.34},  {false, true, 1, 1},  {true, false, 0, 1},
};

size_t piecewise_candidates(struct candidate *out, size_t room, const struct shape_context *context)
{
    const struct plan_request *request = context->request;
    reference *truth = context->truth;
    arena *memory = context->memory;
    const double bound = request->bound.value;
    struct decomposition f;
    if (request->bound.kind != BOUND_ABS || context->algebraic) return 0;
    size_t count = 0;
    unsigned log2_entries = 0, highest = PIECEWISE_MAX_DEGREE; /* a higher degree than another's cannot pay */
    while (2u << log2_entries <= request->profile.lookup_f32 && 2u << log2_entries <= PIECEWISE_MAX_ENTRIES)
        log2_entries++;
    if (log2_entries < 3 || !request->profile.fma || !piecewise_decompose(&f, truth, bound)) return 0;
    for (size_t i = 0; i < sizeof segmentations / sizeof *segmentations && count < room; i++) {
        const struct segmentation *s = &segmentations[i];
        unsigned sides = f.symmetry == SYMMETRY_NONE;
        struct piecewise *p = arena_alloc(memory, sizeof *p);
        *p = (struct piecewise){.f = f, .uniform = s->uniform, .exact_argument = s->exact_argument};
        p->log2_entries = log2_entries;
        if (s->uniform && sides) continue;
        p->fraction_bits = log2_entries - sides - s->fewer_fraction_bits;
        if (s->uniform)
            set_uniform(p);
        else if (!set_exponent_window(p, s->stretch))
            continue;
        if (!piecewise_fit(p, highest, truth, bound, memory)) continue;
        struct candidate *c = &out[count];
        *c = (struct candidate){.build = piecewise_build, .parameters = p};
        describe(c, p, memory);
        if (!candidate_finish(c, request, truth)) continue;
        highest = p->degree;
        count++;
    }
    return count;
}
