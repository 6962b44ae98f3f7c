// Throws an exception in a callback and catches it after the call. The exception waits in the host's object meanwhile,
// because it must not leave the callback (actgen.h, "Callbacks").
#include "actgen.h"

#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string>
#include <utility>

struct host {
    std::exception_ptr thrown;
    bool throws = true;
};

// Calls `work`. Keeps what it throws, and asks the library to stop.
template <typename T> static int guarded(void *payload, T work) noexcept
{
    host *h = static_cast<host *>(payload);
    try {
        work(h);
        return 0;
    } catch (...) {
        h->thrown = std::current_exception();
        return 1;
    }
}

static int progress(void *payload, double, const char *what)
{
    return guarded(payload, [what](host *h) {
        if (h->throws) throw std::runtime_error(std::string("stopped in ") + what);
    });
}

static int write_text(void *payload, const void *, size_t size)
{
    return guarded(payload, [size](host *h) {
        if (h->throws) throw std::length_error(std::to_string(size) + " bytes");
    });
}

static int visit(void *payload, const actgen_builtin *builtin)
{
    return guarded(payload, [builtin](host *) { throw std::runtime_error(builtin->name); });
}

// Throws again what a callback kept during a call.
static int passed(host &h, int status)
{
    if (h.thrown) std::rethrow_exception(std::exchange(h.thrown, nullptr));
    return status;
}

template <typename Call> static int failed_to_throw(const char *name, Call call)
{
    try {
        const int status = call();
        std::fprintf(stderr, "%s: no exception, but status %d\n", name, status);
        return 1;
    } catch (const std::exception &e) {
        std::printf("%s: %s\n", name, e.what());
        return 0;
    }
}

int main()
{
    host h;
    actgen_engine *engine = nullptr;
    actgen_kernel *kernel = nullptr;
    actgen_error error;
    actgen_engine_options with = ACTGEN_ENGINE_OPTIONS_INIT;
    actgen_options options = ACTGEN_OPTIONS_INIT;
    with.cache_directory = "";
    options.progress = progress;
    options.progress_payload = &h;
    if (actgen_engine_create_with(&engine, &with, &error)) return 1;
    auto compile = [&] {
        return passed(h, actgen_compile_expression(&kernel, engine, "x*tanh(0.8125*x)", nullptr, &options, &error));
    };
    int failures = failed_to_throw("compile", compile);
    h.throws = false; // The engine is as good as new.
    if (compile()) return 1;
    h.throws = true;
    failures += failed_to_throw("emit", [&] {
        return passed(h, actgen_emit(&kernel, 1, ACTGEN_EMIT_HEADER, nullptr, write_text, &h, &error));
    });
    failures += failed_to_throw("show", [&] {
        return passed(h, actgen_show(kernel, ACTGEN_STAGE_LANE, write_text, &h, &error));
    });
    failures += failed_to_throw("builtins", [&] { return passed(h, actgen_builtins(visit, &h, &error)); });
    float x[] = {-1, 0, 3}, y[3], z[3];
    const actgen_operand direct[] = {{x, 0}, {y, 0}}, interpreted[] = {{x, 0}, {z, 0}};
    if (actgen_run(kernel, 1, 3, direct, 2, &error) || actgen_interpret(kernel, 1, 3, interpreted, 2, &error)) return 1;
    for (int i = 0; i < 3; i++) failures += y[i] != z[i];
    actgen_kernel_free(kernel);
    actgen_engine_free(engine);
    return failures;
}
