/* Implements actgen report, which writes a page about kernels. */
#include "diagnostics.h"
#include "gallery.h"
#include "operands.h"
#include "options.h"
#include "report.h"

static int measure_speed(struct report_speed *speed, actgen_engine *engine, const actgen_kernel *kernel)
{
    struct rivals rivals;
    int code = EXIT_GOOD;
    speed->is_there = is_machine_code(kernel);
    if (!speed->is_there) return EXIT_GOOD;
    rivals_open(&rivals, engine, kernel);
    for (size_t i = 0; i < REPORT_SIZES && !code && !was_interrupted(); i++)
        code = rivals_measure(&speed->times[i], &rivals, (struct call_shape){1, report_sizes[i], 0});
    rivals_close(&rivals);
    return code;
}

static void print_report_object(struct json *j, const actgen_kernel *kernel)
{
    json_object(j);
    json_kernel(j, kernel);
    json_close(j);
}

/* Writes a section for each kernel. The views of a kernel follow each other in the gallery. */
static int report(struct buffer *page, const struct gallery *g, actgen_engine *engine)
{
    int code = EXIT_GOOD;
    for (size_t i = 0, view = 0, next; i < g->kernel_count && !code; i++, view = next) {
        struct report_speed speed;
        for (next = view; next < g->views.count && g->views.list[next].kernel == g->kernels[i];) next++;
        code = measure_speed(&speed, engine, g->kernels[i]);
        report_kernel(page, i, g->kernels[i], &g->curves[view], next - view, &speed);
        if (json_standard()) print_report_object(json_standard(), g->kernels[i]);
    }
    return was_interrupted() ? EXIT_INTERRUPTED : code;
}

int command_report(const struct options *options)
{
    struct jobs jobs;
    struct gallery g;
    double interval[2];
    struct output file = {.path = options->object};
    catch_interrupt();
    if (!options->object) return usage_error(options->command, "-o is missing: the page to write");
    int code = refuse_standard_output(options, options->object);
    if (!code) code = refuse_format(options, options->object, "html");
    if (!code) code = options_interval(options, interval);
    if (!code) code = output_check(options->object);
    if (!code) code = jobs_open(&jobs, options, NULL);
    if (code) return code;
    code = gallery_open(&g, &jobs, options, interval, true);
    if (!code) {
        report_begin(&file.content, g.kernels, g.kernel_count);
        code = report(&file.content, &g, jobs.engine);
        report_end(&file.content);
    }
    if (!code) code = outputs_write(&file, 1);
    buffer_free(&file.content);
    gallery_close(&g);
    jobs_close(&jobs);
    return code;
}
