/* The two parts of actgen bench: times of calls (command_bench.c) and of first calls. */
#ifndef ACTGEN_CLI_BENCH_H
#define ACTGEN_CLI_BENCH_H

#include "cli.h"
#include "input.h"

/* Implements actgen bench --latency for the jobs. Returns an exit code; failures are printed. */
int bench_latency(const struct options *options, struct jobs *jobs);

#endif
