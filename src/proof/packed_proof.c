/* Packs proofs, and unpacks them strictly. */
#include "packed_proof.h"

#include "float_bits.h"

#include <math.h>

enum { VERSION = 1 };

static void add_double(struct text *out, double x) { bytes_add_fixed(out, bits_of_f64(x), 8); }
static double read_double(struct bytes *b) { return f64_of_bits(bytes_fixed(b, 8)); }

void packed_proof_add(struct text *out, const struct proof *proof)
{
    bytes_add_number(out, VERSION);
    bytes_add_number(out, proof->proved);
    add_double(out, proof->bound);
    add_double(out, proof->seen);
    add_double(out, proof->near);
    bytes_add_number(out, proof->intervals);
    bytes_add_number(out, proof->judged);
}

bool packed_proof_read(struct proof *proof, const void *data, size_t size)
{
    struct bytes b = {.data = data, .left = size};
    const uint64_t version = bytes_number(&b), proved = bytes_number(&b);
    proof->proved = proved;
    proof->bound = read_double(&b);
    proof->seen = read_double(&b);
    proof->near = read_double(&b);
    proof->intervals = bytes_number(&b);
    proof->judged = bytes_number(&b);
    return !b.failed && b.left == 0 && version == VERSION && proved <= 1 && proof->bound >= 0 &&
           proof->seen >= 0;
}
