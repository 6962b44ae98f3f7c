/* Quick values in double with error bounds. */
#ifndef ACTGEN_QUICK_H
#define ACTGEN_QUICK_H

#include "evaluate.h"

struct quick {
    int unused;
};

#endif
