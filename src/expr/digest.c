/* Computes the digest of a formula: from the leaves up, the hash of each node's kind, its values and the
 * digests of its operands. */
#include "expr.h"

#include <string.h>

static void add_number(struct text *t, mpq_srcptr number)
{
    const size_t digits = mpz_sizeinbase(mpq_numref(number), 62) + mpz_sizeinbase(mpq_denref(number), 62);
    char *buffer = arena_alloc(t->memory, digits + 3);
    text_add(t, " %s", mpq_get_str(buffer, 62, number));
}

void expr_digest(arena *memory, const expr *e, char out[HASH_TEXT_SIZE])
{
    typedef char digest[HASH_TEXT_SIZE];
    uint32_t count;
    const expr **nodes = expr_walk(memory, e, &count);
    digest *digests = arena_alloc(memory, ((size_t)e->id + 1) * sizeof *digests);
    struct text t = text_new(memory);
    for (uint32_t i = 0; i < count; i++) {
        const expr *node = nodes[i];
        t.length = 0;
        text_add(&t, "%s %u %u", expr_kind_name(node->kind), node->input, (unsigned)node->type);
        if (node->number) add_number(&t, node->number);
        for (unsigned k = 0; k < expr_arity(node->kind); k++) {
            text_add(&t, " ");
            text_bytes(&t, digests[node->operand[k]->id], HASH_TEXT_SIZE - 1);
        }
        hash_text(t.data, t.length, digests[node->id]);
    }
    memcpy(out, digests[e->id], HASH_TEXT_SIZE);
}
