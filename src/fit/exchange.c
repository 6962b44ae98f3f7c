/* Compiles the code of exchange.inc, for both types. */
#include <stdlib.h>
#include <string.h>

#define EXCHANGE_CODE
#include "exchange.h"
