/* The kernels of a command with all their curves. */
#include "gallery.h"

#include <stdlib.h>

int gallery_open(struct gallery *g, const struct jobs *jobs, const struct options *options,
                 const double interval[2], bool with_error)
{
    int code = EXIT_GOOD;
    *g = (struct gallery){.kernels = must_allocate(jobs->count, sizeof *g->kernels),
                          .kernel_count = jobs->count};
    for (size_t i = 0; i < jobs->count && !was_interrupted(); i++) {
        actgen_error error;
        int one = job_compile(&g->kernels[i], jobs, &jobs->list[i], &error);
        if (!one) one = views_add(&g->views, g->kernels[i], jobs, &jobs->list[i], options);
        code = worse_exit(code, one);
    }
    if (!code) code = views_check(&g->views, options);
    g->curves = must_allocate(g->views.count, sizeof *g->curves);
    for (size_t i = 0; i < g->views.count && !code && !was_interrupted(); i++)
        curves_open(&g->curves[i], &g->views.list[i], interval, with_error);
    return was_interrupted() ? EXIT_INTERRUPTED : code;
}

void gallery_close(struct gallery *g)
{
    for (size_t i = 0; i < g->views.count; i++) curves_close(&g->curves[i]);
    free(g->curves);
    views_close(&g->views);
    for (size_t i = 0; i < g->kernel_count; i++) actgen_kernel_free(g->kernels[i]);
    free(g->kernels);
}
