/* The minimax solution of linear fits: in double, which is enough for 48 bits and fast (exchange_f64), and in
 * 113-bit floats (exchange_quad). */
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
