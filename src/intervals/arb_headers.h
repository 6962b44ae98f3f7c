/* Arb's headers. Since FLINT 3 Arb is a part of it. */
#ifndef ACTGEN_ARB_HEADERS_H
#define ACTGEN_ARB_HEADERS_H

#if __has_include(<flint/arb.h>)
#include <flint/arb.h>
#include <flint/arb_hypgeom.h>
#else
#include <arb.h>
#include <arb_hypgeom.h>
#endif

#endif
