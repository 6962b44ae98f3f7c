/* Compiles an activation of its own from text while it runs, and calls the machine code. */
#include <actgen.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const char spec_text[] = "# A smooth step from x/2 to x, its place and steepness free.\n"
                                "function ramp(x; steepness = 3, at = 0.5) =\n"
                                "    x * (1 + sigmoid(steepness*(x - at))) / 2\n"
                                "kernel my_ramp(x: f32) -> (y: f32) {\n"
                                "    accuracy abs 2^-22\n"
                                "    y = ramp(x, at = 1)\n"
                                "}\n";

static double expected(double x) { return x * (1 + 1 / (1 + exp(-3 * (x - 1)))) / 2; }

/* Runs the kernel on some numbers. Returns 0 if all results are as close to the formula as promised. */
static int use(const actgen_kernel *kernel, actgen_error *error)
{
    enum { ROWS = 2, COLS = 5 };
    const float x[ROWS * COLS] = {-4, -2, -1, -0.5F, 0, 0.5F, 1, 2, 4, 8};
    float y[ROWS * COLS];
    /* Operands are the inputs in declared order, then the results. Stride 0 means rows without a gap. */
    const actgen_operand operands[] = {{x, 0}, {y, 0}};
    if (actgen_run(kernel, ROWS, COLS, operands, 2, error)) return 1;

    double worst = 0;
    for (int i = 0; i < ROWS * COLS; i++) {
        double want = expected(x[i]);
        double off = fabs(y[i] - want) / fmax(1, fabs(want));
        if (!(off <= worst)) worst = isnan(off) ? INFINITY : off;
        printf("  my_ramp(%4g) = %.7g\n", x[i], y[i]);
    }
    printf("largest error here: %.2g: %s\n", worst, worst <= 0x1p-22 ? "as promised" : "NOT as promised");
    return !(worst <= 0x1p-22);
}

int main(void)
{
    actgen_error error = {0};
    actgen_engine *engine = NULL;
    actgen_spec *spec = NULL;
    actgen_kernel *kernel = NULL;

    int failed = actgen_spec_parse(&spec, "ramp.act", spec_text, strlen(spec_text), &error) ||
                 actgen_engine_create(&engine, &error) ||
                 actgen_compile(&kernel, engine, spec, NULL, NULL, &error);
    if (!failed) {
        actgen_certificate measured = ACTGEN_CERTIFICATE_INIT;
        actgen_kernel_certificate(kernel, &measured);
        printf("%s for %s, by %s, in %.1f ms\n", actgen_kernel_name(kernel), actgen_kernel_isa(kernel),
               actgen_kernel_backend(kernel), actgen_kernel_compile_ms(kernel));
        printf("plan: %s\n", actgen_kernel_plan(kernel));
        printf("promised: %s; measured: %.3g at x = %.9g\n", actgen_kernel_accuracy(kernel), measured.max_abs,
               measured.max_abs_at);
        failed = use(kernel, &error);
    }
    if (error.status) fprintf(stderr, "ramp.act:%u:%u: error: %s\n", error.line, error.column, error.message);

    actgen_kernel_free(kernel);
    actgen_engine_free(engine);
    actgen_spec_free(spec);
    return failed != 0;
}
