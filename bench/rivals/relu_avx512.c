/* The copying ReLU, compiled with the flags that CMakeLists.txt gives this file. */
#define RELU_NAME bench_relu_avx512
#include "relu.h"
