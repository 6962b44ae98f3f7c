/* Makes the contestant that people have today: the formula as a C loop on libm. cc -O3 compiles it in a
 * temporary folder. */
#include "file.h"
#include "rivals.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Runs cc on the source. Returns false if there is no cc, or if it fails. */
static bool run_compiler(const char *source, const char *library)
{
    const char *compiler = getenv("CC");
    if (!compiler || !*compiler) compiler = "cc";
    pid_t pid = fork();
    if (pid == 0) {
        int null = open("/dev/null", O_RDWR);
        for (int i = 0; i < 3 && null >= 0; i++) dup2(null, i);
        execlp(compiler, compiler, "-std=c11", "-O3", "-ffp-contract=off", "-shared", "-fPIC", "-o", library,
               source, "-lm", (char *)NULL);
        _exit(127);
    }
    int status = 0;
    return pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* Writes the source. The text of ACTGEN_STAGE_LIBM defines `void <kernel>_libm(size_t n, const float *...,
 * float
 * *...)`, inputs before results. A function with one signature for all kernels follows it. */
static bool write_source(const actgen_kernel *kernel, const char *path)
{
    struct buffer text = {0};
    actgen_error error;
    static const char include[] = "#include <stddef.h>\n";
    buffer_write(&text, include, sizeof include - 1);
    bool good = !actgen_show(kernel, ACTGEN_STAGE_LIBM, buffer_write, &text, &error);
    char *opening =
        must_format("\nvoid actgen_bench(size_t n, void *const *o) { %s_libm(n", actgen_kernel_name(kernel));
    buffer_write(&text, opening, strlen(opening));
    for (size_t i = 0; i < actgen_kernel_operand_count(kernel); i++) {
        char *argument = must_format(", o[%zu]", i);
        buffer_write(&text, argument, strlen(argument));
        free(argument);
    }
    buffer_write(&text, "); }\n", 5);
    FILE *file = good ? fopen(path, "we") : NULL;
    good = file && fwrite(text.data, 1, text.size, file) == text.size;
    if (file && fclose(file)) good = false;
    free(opening);
    buffer_free(&text);
    return good;
}

void libm_loop_open(struct libm_loop *loop, const actgen_kernel *kernel)
{
    const char *base = getenv("TMPDIR");
    char *folder = must_format("%s/actgen-XXXXXX", base && *base ? base : "/tmp");
    *loop = (struct libm_loop){0};
    if (mkdtemp(folder)) {
        char *source = must_format("%s/loop.c", folder), *library = must_format("%s/loop.so", folder);
        if (write_source(kernel, source) && run_compiler(source, library))
            loop->library = dlopen(library, RTLD_NOW | RTLD_LOCAL);
        if (loop->library) {
            void *symbol = dlsym(loop->library, "actgen_bench");
            memcpy(&loop->call, &symbol, sizeof symbol); /* ISO C has no cast from data to functions */
        }
        unlink(source);
        unlink(library);
        rmdir(folder);
        free(source);
        free(library);
    }
    free(folder);
}

void libm_loop_close(struct libm_loop *loop)
{
    if (loop->library) dlclose(loop->library);
    *loop = (struct libm_loop){0};
}
