/* Reads decimal and hexadecimal numbers exactly. */
#include "spellings.h"
#include "tokens.h"

#include <string.h>

enum { MAX_EXPONENT = 400, MAX_BINARY_EXPONENT = 2000 };

struct scanner {
    const struct source *source;
    struct span place;
    const char *at, *end;
    char digits[SPEC_MAX_NUMBER_DIGITS + 1];
    uint32_t digit_count;
    long scale; /* digits after the point */
};

static int digit_value(char c)
{
    if (c >= '0' && c <= '9') return c - '0';
    c = (char)(c | 32);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : 99;
}

/* Reads digits with at most one point. Returns false if there are too many. */
static bool scan_digits(struct scanner *s, int base)
{
    bool point = false;
    for (; s->at < s->end; s->at++) {
        if (*s->at == '.' && !point) {
            point = true;
            continue;
        }
        if (digit_value(*s->at) >= base) break;
        s->scale += point;
        if (!s->digit_count && *s->at == '0') continue; /* leading zeros are free */
        if (s->digit_count == SPEC_MAX_NUMBER_DIGITS || s->scale > MAX_BINARY_EXPONENT) return false;
        s->digits[s->digit_count++] = *s->at;
    }
    return true;
}

/* Reads the digits of an exponent after its letter. Returns false if there are none. Large values saturate.
 */
static bool scan_exponent(struct scanner *s, long *out)
{
    bool negative = s->at < s->end && *s->at == '-';
    if (s->at < s->end && (*s->at == '-' || *s->at == '+')) s->at++;
    long value = 0;
    const char *first = s->at;
    for (; s->at < s->end && digit_value(*s->at) < 10; s->at++)
        if (value < 1000000) value = value * 10 + digit_value(*s->at);
    *out = negative ? -value : value;
    return s->at > first;
}

/* Computes digits * base^exponent. */
static void assemble(const struct scanner *s, bool hex, long exponent, mpq_ptr out)
{
    mpz_set_str(mpq_numref(out), s->digit_count ? s->digits : "0", hex ? 16 : 10);
    mpz_set_ui(mpq_denref(out), 1);
    mpz_ptr scaled = exponent < 0 ? mpq_denref(out) : mpq_numref(out);
    unsigned long power = (unsigned long)(exponent < 0 ? -exponent : exponent);
    if (hex) {
        mpz_mul_2exp(scaled, scaled, power);
    } else {
        mpz_t factor;
        mpz_init(factor);
        mpz_ui_pow_ui(factor, 10, power);
        mpz_mul(scaled, scaled, factor);
        mpz_clear(factor);
    }
    mpq_canonicalize(out);
}

static bool fail(const struct scanner *s, struct diag *error, const char *why)
{
    diag_at(error, DIAG_SYNTAX, s->source->text, s->place, "%s", why);
    return false;
}

bool number_parse(const struct source *source, struct span place, mpq_ptr out, struct diag *error)
{
    struct scanner s = {.source = source, .place = place, .at = source->text + place.offset};
    s.end = s.at + place.length;
    bool hex = place.length >= 2 && s.at[0] == '0' && (s.at[1] | 32) == 'x';
    if (hex) s.at += 2;
    const char *first = s.at;
    if (!scan_digits(&s, hex ? 16 : 10)) return fail(&s, error, "a number has at most 400 digits");
    bool empty = s.at == first || (s.at == first + 1 && *first == '.');
    if (empty) return fail(&s, error, "malformed number; examples are 3, 0.5, 1e-6, 0x1.8p-4");
    long exponent = 0;
    if (s.at < s.end && (*s.at | 32) == (hex ? 'p' : 'e')) {
        const char *letter = s.at++;
        if (!scan_exponent(&s, &exponent)) s.at = letter;
    }
    if (s.at < s.end) {
        struct span rest = {(uint32_t)(s.at - source->text), (uint32_t)(s.end - s.at)};
        const char *advice = spelling_advice(SPELLING_SUFFIX, s.at, rest.length);
        if (advice) {
            diag_at(error, DIAG_SYNTAX, source->text, place,
                    "unexpected `%.*s` after a number: %s; write `%.*s`", (int)rest.length, s.at, advice,
                    (int)(s.at - source->text - place.offset), source->text + place.offset);
            return false;
        }
        if (*s.at == '_' && digit_value(s.at[1]) < 10)
            return fail(&s, error, "digits stand without `_` between them, as in `1000`");
        if (*s.at == '.' || hex)
            return fail(&s, error, "malformed number; examples are 3, 0.5, 1e-6, 0x1.8p-4");
        diag_at(error, DIAG_SYNTAX, source->text, rest,
                "expected an operator between the number and `%.*s`; a product is written with `*`",
                (int)(rest.length > 40 ? 40 : rest.length), s.at);
        return false;
    }
    exponent -= hex ? 4 * s.scale : s.scale;
    long leading = exponent + (hex ? 4 : 1) * (long)s.digit_count; /* value < base^leading */
    long limit = hex ? MAX_BINARY_EXPONENT : MAX_EXPONENT;
    if (s.digit_count && (leading > limit || leading < -limit || exponent < -2 * limit))
        return fail(&s, error,
                    hex ? "a number's binary exponent is at most 2000 either way"
                        : "a number's decimal exponent is at most 400 either way");
    assemble(&s, hex, s.digit_count ? exponent : 0, out);
    return true;
}
