/* IBM Z. Nothing is asked of its processors yet. */
#include "architecture.h"

const struct architecture architecture_s390x = {.detect = NULL};
