/* Objects into this process: LLJIT as a linker.
 *
 * LLJIT compiles nothing here: one that is given IR by several threads crashes. Each object lives in a
 * JITDylib of its own, bare, so that neither symbols of the process nor equal names of other objects are
 * seen. JITDylibs cannot be destroyed through the C API, so used ones are kept and taken again. One mutex
 * guards every call into the session. */
#include "object.h"

#include <llvm-c/Core.h>
#include <llvm-c/Error.h>
#include <llvm-c/LLJIT.h>
#include <llvm-c/Orc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct dylib {
    LLVMOrcJITDylibRef ref;
    struct dylib *next; /* in the pool of unused ones */
};

struct backend_jit {
    pthread_mutex_t lock;
    LLVMOrcLLJITRef lljit;
    LLVMOrcExecutionSessionRef session;
    struct dylib *unused;
    unsigned long dylibs; /* made so far, for their names */
};

struct symbol {
    char *name;
    void *address;
    size_t bytes;
};

struct backend_code {
    backend_jit *jit;
    struct dylib *dylib;
    LLVMOrcResourceTrackerRef tracker; /* what the object holds; NULL until it is added */
    struct symbol *symbols;
    size_t count;
};

static int llvm_failure(LLVMErrorRef failure, struct diag *error, const char *what)
{
    char *message = LLVMGetErrorMessage(failure); /* consumes the failure */
    int status = diag_set(error, DIAG_BACKEND, "%s: %s", what, message);
    LLVMDisposeErrorMessage(message);
    return status;
}

/* Without a reporter LLVM prints to the host's standard error; failures come back from the lookup, too. */
static void ignore_report(void *context, LLVMErrorRef failure)
{
    (void)context;
    LLVMConsumeError(failure);
}

int backend_jit_create(backend_jit **out, struct diag *error)
{
    *out = NULL;
    backend_start();
    backend_jit *jit = calloc(1, sizeof *jit);
    if (!jit) return diag_set(error, DIAG_NO_MEMORY, "no memory for the linker");
    LLVMErrorRef failure = LLVMOrcCreateLLJIT(&jit->lljit, NULL);
    if (failure) {
        free(jit);
        return llvm_failure(failure, error, "LLVM's linker does not start");
    }
    jit->session = LLVMOrcLLJITGetExecutionSession(jit->lljit);
    LLVMOrcExecutionSessionSetErrorReporter(jit->session, ignore_report, NULL);
    pthread_mutex_init(&jit->lock, NULL);
    *out = jit;
    return 0;
}

void backend_jit_free(backend_jit *jit)
{
    if (!jit) return;
    LLVMErrorRef failure = LLVMOrcDisposeLLJIT(jit->lljit);
    if (failure) LLVMConsumeError(failure);
    for (struct dylib *d = jit->unused, *next; d; d = next) {
        next = d->next;
        free(d);
    }
    pthread_mutex_destroy(&jit->lock);
    free(jit);
}

static struct dylib *take_dylib(backend_jit *jit)
{
    struct dylib *d = jit->unused;
    if (d) {
        jit->unused = d->next;
        return d;
    }
    d = calloc(1, sizeof *d);
    if (!d) return NULL;
    char name[32];
    snprintf(name, sizeof name, "actgen %lu", jit->dylibs++);
    d->ref = LLVMOrcExecutionSessionCreateBareJITDylib(jit->session, name);
    return d;
}

/* A lookup answers by a callback, on this thread or another. */
struct answer {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool arrived;
    LLVMErrorRef failure;
    LLVMOrcExecutorAddress address;
};

static void on_answer(LLVMErrorRef failure, LLVMOrcCSymbolMapPairs found, size_t count, void *context)
{
    struct answer *a = context;
    pthread_mutex_lock(&a->lock);
    a->failure = failure;
    if (!failure && count) a->address = found[0].Sym.Address;
    a->arrived = true;
    pthread_cond_signal(&a->changed);
    pthread_mutex_unlock(&a->lock);
}

static LLVMErrorRef look_up(backend_jit *jit, struct dylib *d, const char *name, void **address)
{
    struct answer a = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};
    LLVMOrcCJITDylibSearchOrderElement where = {d->ref, LLVMOrcJITDylibLookupFlagsMatchAllSymbols};
    LLVMOrcCLookupSetElement wanted = {
        LLVMOrcLLJITMangleAndIntern(jit->lljit, name),
        LLVMOrcSymbolLookupFlagsRequiredSymbol}; /* the session takes the name */
    LLVMOrcExecutionSessionLookup(jit->session, LLVMOrcLookupKindStatic, &where, 1, &wanted, 1, on_answer,
                                  &a);
    pthread_mutex_lock(&a.lock);
    while (!a.arrived) pthread_cond_wait(&a.changed, &a.lock);
    pthread_mutex_unlock(&a.lock);
    pthread_mutex_destroy(&a.lock);
    pthread_cond_destroy(&a.changed);
    *address = (void *)(uintptr_t)a.address;
    return a.failure;
}

/* SELinux without execmem, or a sandbox: code can be written, but not be made executable. */
static bool code_is_forbidden(void)
{
    size_t size = (size_t)sysconf(_SC_PAGESIZE);
    void *page = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED) return false;
    bool forbidden = mprotect(page, size, PROT_READ | PROT_EXEC) != 0;
    munmap(page, size);
    return forbidden;
}

static int add_name(void *context, const char *name, bool defined, size_t bytes)
{
    backend_code *code = context;
    if (!defined || name[0] == '.') return 0; /* sections have symbols, too */
    struct symbol *more = realloc(code->symbols, (code->count + 1) * sizeof *more);
    if (!more) return DIAG_NO_MEMORY;
    code->symbols = more;
    more[code->count] = (struct symbol){strdup(name), NULL, bytes};
    if (!more[code->count].name) return DIAG_NO_MEMORY;
    code->count++;
    return 0;
}

/* With the lock held. Looking the symbols up is what links the object. */
static LLVMErrorRef link_object(backend_code *code, const struct backend_buffer *object)
{
    code->tracker = LLVMOrcJITDylibCreateResourceTracker(code->dylib->ref);
    LLVMMemoryBufferRef memory =
        LLVMCreateMemoryBufferWithMemoryRangeCopy(object->data, object->size, "actgen");
    LLVMErrorRef failure = LLVMOrcLLJITAddObjectFileWithRT(code->jit->lljit, code->tracker, memory);
    for (size_t i = 0; i < code->count && !failure; i++)
        failure = look_up(code->jit, code->dylib, code->symbols[i].name, &code->symbols[i].address);
    return failure;
}

int backend_link(backend_code **out, backend_jit *jit, const struct backend_buffer *object,
                 struct diag *error)
{
    *out = NULL;
    int status = object_check(object, error);
    if (status) return status;
    backend_code *code = calloc(1, sizeof *code);
    if (!code) return diag_set(error, DIAG_NO_MEMORY, "no memory for linked code");
    code->jit = jit;
    status = object_symbols(object, add_name, code, error);
    if (!status && !code->count) status = diag_set(error, DIAG_BACKEND, "the object defines no symbol");
    if (!status) {
        LLVMErrorRef failure = NULL;
        pthread_mutex_lock(&jit->lock);
        code->dylib = take_dylib(jit);
        if (code->dylib) failure = link_object(code, object);
        pthread_mutex_unlock(&jit->lock);
        if (!code->dylib) status = DIAG_NO_MEMORY;
        if (failure)
            status = llvm_failure(failure, error,
                                  code_is_forbidden()
                                      ? "this system lets no process make memory executable (SELinux "
                                        "execmem or a sandbox); kernels can still be interpreted"
                                      : "the object cannot be linked");
    }
    if (status) {
        backend_code_free(code);
        return diag_set(error, status, "no memory for linked code"); /* if nothing has been said yet */
    }
    *out = code;
    return 0;
}

static const struct symbol *find_symbol(const backend_code *code, const char *name)
{
    for (size_t i = 0; i < code->count; i++)
        if (!strcmp(code->symbols[i].name, name)) return &code->symbols[i];
    return NULL;
}

void *backend_symbol(backend_code *code, const char *symbol, struct diag *error)
{
    const struct symbol *found = find_symbol(code, symbol);
    if (found) return found->address;
    diag_set(error, DIAG_BACKEND, "the object has no symbol '%s'", symbol);
    return NULL;
}

size_t backend_symbol_bytes(const backend_code *code, const char *symbol)
{
    const struct symbol *found = find_symbol(code, symbol);
    return found ? found->bytes : 0;
}

void backend_code_free(backend_code *code)
{
    if (!code) return;
    if (code->dylib) {
        backend_jit *jit = code->jit;
        pthread_mutex_lock(&jit->lock);
        LLVMErrorRef failure = LLVMOrcResourceTrackerRemove(code->tracker);
        if (failure) LLVMConsumeError(failure);
        LLVMOrcReleaseResourceTracker(code->tracker);
        LLVMOrcSymbolStringPoolClearDeadEntries(LLVMOrcExecutionSessionGetSymbolStringPool(jit->session));
        code->dylib->next = jit->unused;
        jit->unused = code->dylib;
        pthread_mutex_unlock(&jit->lock);
    }
    for (size_t i = 0; i < code->count; i++) free(code->symbols[i].name);
    free(code->symbols);
    free(code);
}
