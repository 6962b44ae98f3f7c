/* The kernels of a command with all their curves. */
#ifndef ACTGEN_CLI_GALLERY_H
#define ACTGEN_CLI_GALLERY_H

#include "curves.h"

struct gallery {
    actgen_kernel **kernels; /* NULL for a job that failed */
    size_t kernel_count;
    struct views views;
    struct curves *curves; /* one per view */
};
/* Compiles the jobs and samples their results. Returns an exit code; a failure is printed. Close in both
 * cases. */
int gallery_open(struct gallery *gallery, const struct jobs *jobs, const struct options *options,
                 const double interval[2], bool with_error);
void gallery_close(struct gallery *gallery);

#endif
