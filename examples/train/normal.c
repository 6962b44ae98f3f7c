/* Makes normal numbers from uniform ones by Box and Muller's transform. The transform is a kernel of actgen,
 * so the bits are the same everywhere. */
#include "normal.h"
#include "../random.h"
#include <stdlib.h>
#include <string.h>

int random_normal(float *out, size_t count, uint64_t *state, actgen_engine *engine, actgen_error *error)
{
    static const char text[] = "kernel normal(u: f32, turn: f32) -> (y: f32) {\n"
                               "    y = sqrt(-2*log(u)) * cos(pi*turn)\n"
                               "}\n";
    actgen_options options = ACTGEN_OPTIONS_INIT;
    options.profile = "portable-nofma";
    actgen_spec *spec = NULL;
    actgen_kernel *kernel = NULL;
    float *u = malloc(count * sizeof *u), *turn = malloc(count * sizeof *turn);
    int status =
        u && turn ? actgen_spec_parse(&spec, "normal.act", text, strlen(text), error) : ACTGEN_ENOMEM;
    if (!status) status = actgen_compile(&kernel, engine, spec, NULL, &options, error);
    if (!status) {
        for (size_t i = 0; i < count; i++) {
            u[i] = (random_uniform(state) + 1) / 2; /* at least 2^-25, never 0 */
            turn[i] = random_uniform(state);
        }
        status = actgen_run(kernel, 1, count, (actgen_operand[]){{u, 0}, {turn, 0}, {out, 0}}, 3, error);
    }
    actgen_kernel_free(kernel);
    actgen_spec_free(spec);
    free(u);
    free(turn);
    return status;
}
