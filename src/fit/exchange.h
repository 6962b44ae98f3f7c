/* Minimax solutions of linear fits. exchange_f64 computes in double, which is fast and enough for 48 bits.
 * exchange_quad computes in 113-bit floats. */
#ifndef ACTGEN_EXCHANGE_H
#define ACTGEN_EXCHANGE_H

#include "quad.h"

#include <stdbool.h>

enum { FIT_MAX_TERMS = 26, FIT_MAX_POINTS = 160 };

#define REAL            double
#define OF_REAL(name)   name##_f64
#define EXCHANGE_POINTS 24
#define EXCHANGE_TERMS  13
#include "exchange.inc"

#define REAL            quad
#define OF_REAL(name)   name##_quad
#define EXCHANGE_POINTS FIT_MAX_POINTS
#define EXCHANGE_TERMS  FIT_MAX_TERMS
#include "exchange.inc"

#endif
