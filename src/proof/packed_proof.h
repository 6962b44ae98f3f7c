/* Proofs as bytes, for caches: the layout's version, then each number. */
#ifndef ACTGEN_PACKED_PROOF_H
#define ACTGEN_PACKED_PROOF_H

#include "bytes.h"
#include "proof.h"

void packed_proof_add(struct text *out, const struct proof *proof);
/* Reads a proof. Returns false for bytes that packed_proof_add has not written. *proof is then undefined. */
bool packed_proof_read(struct proof *proof, const void *data, size_t size);

#endif
