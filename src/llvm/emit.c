/* Compiles kernels into an object, assembly or IR. Each call has its own LLVM context and a target machine
 * that no other call uses. */
#include "architecture.h"
#include "build_loops.h"
#include "calls.h"
#include "object.h"

#include <llvm-c/Analysis.h>
#include <llvm-c/Comdat.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static char version_text[48]; /* written once */

/* Runs once per process, because LLVM's registry of targets is not thread-safe. */
static void start_llvm(void)
{
    unsigned major = 0, minor = 0, patch = 0;
    architectures_start();
    LLVMGetVersion(&major, &minor, &patch);
    snprintf(version_text, sizeof version_text, "LLVM %u.%u.%u", major, minor, patch);
}

void backend_start(void) { pthread_once(&once, start_llvm); }

const char *backend_version(void)
{
    backend_start();
    return version_text;
}

/* Keeps an error of LLVM as a diagnostic. LLVM's own handler would print errors and exit. */
static void note_diagnostic(LLVMDiagnosticInfoRef info, void *context)
{
    struct diag *error = context;
    if (LLVMGetDiagInfoSeverity(info) != LLVMDSError) return;
    char *text = LLVMGetDiagInfoDescription(info);
    diag_set(error, DIAG_BACKEND, "LLVM: %s", text);
    LLVMDisposeMessage(text);
}

enum { MOST_PARTS = 64 };

/* Returns true if the parts before and after operand k agree with it, so that they form a complete group. */
static bool is_in_group(const struct lane_kernel *kernel, uint32_t k)
{
    const struct kernel_operand *o = &kernel->operands[k];
    if (!o->parts || o->parts > MOST_PARTS || o->part >= o->parts || o->part > k) return false;
    if (k - o->part + o->parts > kernel->operand_count) return false;
    const struct kernel_operand *first = o - o->part;
    for (uint32_t p = 0; p < o->parts; p++)
        if (first[p].part != p || first[p].parts != o->parts || first[p].group != o->group ||
            first[p].type != o->type || first[p].shape != o->shape || first[p].layout != o->layout ||
            first[p].is_result != o->is_result)
            return false;
    return true;
}

static bool suits_operands(const struct kernel_operand *o)
{
    if (o->type == ELEMENT_U64) return !o->is_result && o->shape == SHAPE_ONE && o->parts == 1;
    return element_is_usable(o->type) && (!o->is_result || o->shape == SHAPE_MATRIX);
}

static int check_operand(const struct backend_function *f, uint32_t k, struct diag *error)
{
    const struct kernel_operand *o = &f->kernel->operands[k];
    bool stored = false;
    if (!suits_operands(o))
        return diag_set(error, DIAG_NOT_YET, "'%s': type %s, or the shape, of operand '%s' comes later",
                        f->symbol, element_types[o->type].name, o->name);
    if (!is_in_group(f->kernel, k))
        return diag_set(error, DIAG_INVALID, "'%s': operand '%s' is part %u of %u in no group", f->symbol,
                        o->name, (unsigned)o->part, (unsigned)o->parts);
    for (uint32_t n = 0; n < f->kernel->program->count; n++) {
        const struct lane_instruction *i = &f->kernel->program->code[n];
        bool store = i->op == LANE_STORE;
        if ((!store && i->op != LANE_LOAD) || i->index != k) continue;
        enum lane_type type = store ? f->kernel->program->code[i->operand[0]].type : i->type;
        if (store != o->is_result || !kernel_suits_lanes(o, type))
            return diag_set(error, DIAG_INVALID, "'%s': instruction %%%u does not suit operand '%s'",
                            f->symbol, (unsigned)n, o->name);
        stored |= store;
    }
    if (o->is_result && !stored)
        return diag_set(error, DIAG_INVALID, "'%s': result '%s' is never stored", f->symbol, o->name);
    return 0;
}

/* Names what code for GPUs lacks, and what works instead. */
struct refusal {
    const char *what, *instead;
};

/* Returns what is refused of an operand, or nothing. Threads that share a row would write to the same byte,
 * if elements share it. Warps have no order, and sums over rows need one. */
static struct refusal refusal_of_grid(const struct kernel_operand *o)
{
    if (o->reduction && (o->shape != SHAPE_ROWS || o->parts > 1))
        return (struct refusal){"a sum over rows", "sums over columns work"};
    if (element_shares_byte(o->type)) return (struct refusal){"elements of part of a byte", "u8 and i8 work"};
    if (kernel_has_blocks(o)) return (struct refusal){"one value for a block", "[rows] and [cols] work"};
    return (struct refusal){NULL, NULL};
}

static int check_grid(const struct backend_function *f, struct diag *error)
{
    const struct lane_kernel *called = f->called ? f->called : f->kernel;
    if (!target_has_grid(f->isa)) return DIAG_OK;
    for (uint32_t n = 0; n < called->total_count; n++)
        if (called->totals[n].block)
            return diag_set(error, DIAG_NOT_YET, "'%s' reduces blocks of columns: GPUs cannot", f->symbol);
    for (uint32_t k = 0; k < called->operand_count; k++) {
        const struct kernel_operand *o = &called->operands[k];
        const struct refusal refusal = refusal_of_grid(o);
        if (refusal.what)
            return diag_set(error, DIAG_NOT_YET,
                            "'%s' has %s (`%s`), which code for GPUs (%s) does not take yet; %s", f->symbol,
                            refusal.what, o->name, f->isa->name, refusal.instead);
    }
    return DIAG_OK;
}

static int check_function(const struct backend_function *f, struct diag *error)
{
    const lane_program *p = f->kernel->program;
    int status = lane_verify(p, error);
    if (!status) status = check_grid(f, error);
    if (status) return status;
    if (f->called && f->called->group_count >= TARGET_MOST_OPERANDS)
        return diag_set(error, DIAG_NOT_YET,
                        "'%s' has sums, and more than the %d operands that such kernels may have", f->symbol,
                        TARGET_MOST_OPERANDS - 1);
    if (p->profile.fma && !f->isa->profile.fma)
        return diag_set(error, DIAG_TARGET, "'%s': its plan is made for profile %s, with fma, which %s lacks",
                        f->symbol, p->profile.name, f->isa->name);
    if (p->profile.lookup_f16 > f->isa->profile.lookup_f16)
        return diag_set(error, DIAG_TARGET,
                        "'%s': its plan is made for profile %s, with arithmetic on f16, which %s lacks",
                        f->symbol, p->profile.name, f->isa->name);
    for (uint32_t n = 0; n < p->count; n++)
        if ((p->code[n].op == LANE_LOAD || p->code[n].op == LANE_STORE) &&
            p->code[n].index >= name_count(f->kernel))
            return diag_set(error, DIAG_INVALID, "'%s': instruction %%%u names no operand of the kernel",
                            f->symbol, (unsigned)n);
    bool has_result = false;
    for (uint32_t k = 0; k < f->kernel->operand_count; k++) {
        if ((status = check_operand(f, k, error))) return status;
        has_result |= f->kernel->operands[k].is_result;
    }
    if (target_has_grid(f->isa) && f->kernel->group_count > TARGET_MOST_OPERANDS)
        return diag_set(error, DIAG_TARGET,
                        "'%s': %u operands are more than a launch takes on %s, at most %d", f->symbol,
                        (unsigned)f->kernel->group_count, f->isa->name, TARGET_MOST_OPERANDS);
    return has_result ? 0 : diag_set(error, DIAG_INVALID, "'%s' has no result", f->symbol);
}

/* Refuses a broken_op that names no lane op. Such a name would break nothing, and the test that sets it would
 * pass for no reason. */
static int check_options(const struct backend_options *options, struct diag *error)
{
    if (!options->broken_op) return 0;
    for (enum lane_op op = 0; op < LANE_OP_COUNT; op++)
        if (!strcmp(options->broken_op, lane_ops[op].name) && op != LANE_LOAD && op != LANE_STORE) return 0;
    return diag_set(error, DIAG_INVALID, "no lane op that can be broken is named '%s'", options->broken_op);
}

static int check_functions(const struct backend_function *functions, size_t count, struct diag *error)
{
    if (!count) return diag_set(error, DIAG_INVALID, "no kernel to emit");
    for (size_t i = 0; i < count; i++) {
        int status = check_function(&functions[i], error);
        if (status) return status;
        if (strcmp(functions[i].isa->triple, functions[0].isa->triple))
            return diag_set(error, DIAG_TARGET,
                            "one object cannot hold code for both %s (%s) and %s (%s): compile one for each",
                            functions[0].isa->name, functions[0].isa->triple, functions[i].isa->name,
                            functions[i].isa->triple);
    }
    return 0;
}

/* Returns symbol number i. The symbols of functions come first, then those of calls. */
static const char *symbol_at(const struct backend_function *functions, size_t count,
                             const struct backend_options *options, size_t i)
{
    return i < count ? functions[i].symbol : options->calls[i - count].symbol;
}

/* Refuses equal symbols, because LLVM would rename the second one. */
static int check_symbols(const struct backend_function *functions, size_t count,
                         const struct backend_options *options, struct diag *error)
{
    for (size_t i = 0; i < count + options->call_count; i++)
        for (size_t j = 0; j < i; j++) {
            const char *symbol = symbol_at(functions, count, options, i);
            if (!strcmp(symbol, symbol_at(functions, count, options, j)))
                return diag_set(error, DIAG_INVALID, "two kernels have the symbol '%s'", symbol);
        }
    return 0;
}

/* A target machine of LLVM, and what it was made for. Each function names its own processor. The baseline,
 * which all those processors have, decides the calling convention where that depends on the processor. LLVM's
 * back end for GPUs looks only at this set, so a text for GPUs is its own baseline. */
struct machine {
    const struct target_isa *baseline;
    const char *triple;
    bool quick;
    LLVMTargetMachineRef llvm;
};

static void machine_free(struct machine *m)
{
    if (!m) return;
    LLVMDisposeTargetMachine(m->llvm);
    free(m);
}

void backend_spare_clear(struct backend_spare *spare)
{
    machine_free(atomic_exchange(&spare->machine, NULL));
}

static int make_machine(struct machine **out, const struct machine *like, struct diag *error)
{
    LLVMTargetRef target = NULL;
    char *message = NULL;
    if (LLVMGetTargetFromTriple(like->triple, &target, &message)) {
        int status =
            diag_set(error, DIAG_TARGET, "LLVM has no target %s: %s", like->triple, message ? message : "");
        LLVMDisposeMessage(message);
        return status;
    }
    struct machine *m = malloc(sizeof *m);
    if (!m) return diag_out_of_memory(error);
    const LLVMCodeGenOptLevel level = like->quick ? LLVMCodeGenLevelNone : LLVMCodeGenLevelDefault;
    *m = *like;
    m->llvm = LLVMCreateTargetMachine(target, m->triple, m->baseline->cpu, m->baseline->features, level,
                                      LLVMRelocPIC, LLVMCodeModelDefault);
    if (!m->llvm) {
        free(m);
        return diag_set(error, DIAG_BACKEND, "LLVM makes no target machine for %s", like->triple);
    }
    *out = m;
    return DIAG_OK;
}

/* Takes the spare machine if it is of the kind of `like`. Otherwise makes one. */
static int take_machine(struct machine **out, const struct machine *like, struct backend_spare *spare,
                        struct diag *error)
{
    struct machine *m = spare ? atomic_exchange(&spare->machine, NULL) : NULL;
    const bool suits =
        m && m->baseline == like->baseline && !strcmp(m->triple, like->triple) && m->quick == like->quick;
    if (!suits) machine_free(m);
    *out = suits ? m : NULL;
    return suits ? DIAG_OK : make_machine(out, like, error);
}

static void leave_machine(struct machine *m, struct backend_spare *spare)
{
    machine_free(spare ? atomic_exchange(&spare->machine, m) : m);
}

static int find_format(const struct target_format **out, const struct target_isa *isa, const char *name,
                       struct diag *error)
{
    *out = target_format_find(isa, name);
    return *out ? 0
                : diag_set(error, DIAG_TARGET, "code for %s cannot be in an object of the format `%s`",
                           isa->name, name ? name : "of its triple");
}

static int check_dispatch(const struct target_format *format, const struct backend_options *options,
                          struct diag *error)
{
    if (options->dispatch == DISPATCH_POINTER || format->indirect_functions) return 0;
    return diag_set(error, DIAG_TARGET,
                    "an object of the format %s has no indirect functions (ifunc): those are of elf, for "
                    "glibc; dispatch by a pointer works everywhere",
                    format->name);
}

/* Defines the format's own symbol. Linkers keep only one of the definitions in all objects. */
static void define_own_symbol(LLVMModuleRef module, const char *name)
{
    LLVMTypeRef word = LLVMInt32TypeInContext(LLVMGetModuleContext(module));
    LLVMValueRef symbol = LLVMAddGlobal(module, word, name);
    LLVMComdatRef comdat = LLVMGetOrInsertComdat(module, name);
    LLVMSetComdatSelectionKind(comdat, LLVMAnyComdatSelectionKind);
    LLVMSetComdat(symbol, comdat);
    LLVMSetInitializer(symbol, LLVMConstInt(word, 0, false));
    LLVMSetGlobalConstant(symbol, true);
}

static int verify_module(LLVMModuleRef module, struct diag *error)
{
    char *message = NULL;
    int status = 0;
    if (LLVMVerifyModule(module, LLVMReturnStatusAction, &message))
        status = diag_set(error, DIAG_BACKEND, "LLVM finds the generated code malformed: %s",
                          message ? message : "");
    LLVMDisposeMessage(message);
    return status;
}

static int copy_out(const char *data, size_t size, struct backend_buffer *out, struct diag *error)
{
    out->data = malloc(size + 1);
    if (!out->data) return diag_set(error, DIAG_NO_MEMORY, "no memory for %zu bytes of code", size);
    memcpy(out->data, data, size);
    out->data[size] = 0; /* so that text is a string */
    out->size = size;
    return 0;
}

static int write_module(LLVMModuleRef module, LLVMTargetMachineRef machine, bool objects_are_text,
                        enum backend_output output, struct backend_buffer *out, struct diag *error)
{
    if (output == BACKEND_IR) {
        char *text = LLVMPrintModuleToString(module);
        int status = copy_out(text, strlen(text), out, error);
        LLVMDisposeMessage(text);
        return status;
    }
    LLVMMemoryBufferRef memory = NULL;
    char *message = NULL;
    const bool is_text = output == BACKEND_ASSEMBLY || objects_are_text;
    LLVMCodeGenFileType type = is_text ? LLVMAssemblyFile : LLVMObjectFile;
    if (LLVMTargetMachineEmitToMemoryBuffer(machine, module, type, &message, &memory)) {
        int status = diag_set(error, DIAG_BACKEND, "LLVM cannot emit code: %s", message ? message : "");
        LLVMDisposeMessage(message);
        return status;
    }
    int status = copy_out(LLVMGetBufferStart(memory), LLVMGetBufferSize(memory), out, error);
    LLVMDisposeMemoryBuffer(memory);
    if (!status && output == BACKEND_OBJECT)
        status = is_text ? object_check_text(out, error) : object_check(out, error);
    return status;
}

/* -- how long LLVM takes -- */

/* The largest function, in instructions, that LLVM compiles with optimization. LLVM's time grows with the
 * number of instructions, and nothing stops LLVM within a module. A larger function is compiled as for
 * `quick`, which has a quarter of the instructions and takes a quarter of the time for each. The largest
 * function of a built-in has 4,226 (stochastic_gelu in f64, on AVX2). */
enum { MOST_INSTRUCTIONS = 16384 };

/* Seconds that LLVM takes per instruction of IR. Measured with LLVM 22 on a Zen 5, and increased by a fifth,
 * for a sum of 199 sines: SECONDS on AVX-512 (27,000 instructions), QUICK_SECONDS on AVX2 with `quick`
 * (84,000). */
static const double SECONDS = 80e-6, QUICK_SECONDS = 20e-6;

struct module_size {
    size_t instructions, largest; /* of all functions together, and of the largest */
};

static struct module_size measure_module(LLVMModuleRef module)
{
    struct module_size size = {0};
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
        size_t count = 0;
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
            for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) count++;
        size.instructions += count;
        if (count > size.largest) size.largest = count;
    }
    return size;
}

static int stopped(struct diag *error)
{
    return diag_set(error, DIAG_STOPPED, "stopped while code was made");
}

/* Reports progress between the parts of LLVM's work. LLVM cannot be stopped here. */
static void note_yield(LLVMContextRef context, void *progress)
{
    (void)context;
    progress_goes_on(progress);
}

/* -- modules -- */

struct emission {
    const struct backend_function *functions;
    size_t count;
    const struct backend_options *options;
    const struct target_format *format;
    enum backend_output output;
    struct backend_buffer *out;
    struct diag *error;
};

/* Gives each function of an object with calls a section of its own, so that a linker can leave out the
 * functions that nobody calls (--gc-sections). */
static void divide_sections(LLVMModuleRef module)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
        size_t length;
        const char *name = LLVMGetValueName2(f, &length);
        char section[256];
        if (LLVMIsDeclaration(f)) continue;
        snprintf(section, sizeof section, ".text.%.*s", (int)length, name);
        LLVMSetSection(f, section);
    }
}

static int build_module(const struct emission *e, LLVMModuleRef module)
{
    LLVMContextRef context = LLVMGetModuleContext(module);
    const struct backend_options *o = e->options;
    int status = DIAG_OK;
    for (size_t i = 0; i < e->count && !status && !o->values_only; i++) {
        if (!progress_goes_on(o->progress)) return stopped(e->error);
        status = build_function(context, module, &e->functions[i], o, e->error);
    }
    if (!status && o->call_count) status = build_calls(module, e->functions, e->count, o, e->error);
    if (!status && o->compact && !target_has_grid(e->functions[0].isa))
        status = share_functions(module, e->error);
    if (!status && o->call_count && e->format->sections) divide_sections(module);
    if (!status && e->format->own_symbol) define_own_symbol(module, e->format->own_symbol);
    return status;
}

static int verify_and_write(const struct emission *e, LLVMModuleRef module, const struct machine *machine,
                            size_t instructions)
{
    const double seconds = (double)instructions * (machine->quick ? QUICK_SECONDS : SECONDS);
    if (!progress_goes_on(e->options->progress)) return stopped(e->error);
    const int status = verify_module(module, e->error);
    if (status) return status;
    if (!progress_has_time(e->options->progress, e->output == BACKEND_IR ? 0 : seconds))
        return stopped(e->error);
    return write_module(module, machine->llvm, e->format->is_text, e->output, e->out, e->error);
}

/* Builds and writes the module. If a function is too large for optimization, writes nothing and sets
 * *is_large. The caller then tries again with `quick`. */
static int emit_module(const struct emission *e, bool *is_large)
{
    const struct backend_options *o = e->options;
    const char *triple = target_triple(e->functions[0].isa, e->format);
    const struct machine like = {target_isa_baseline(e->functions[0].isa), triple, o->quick, NULL};
    struct machine *machine;
    int status = take_machine(&machine, &like, o->spare, e->error);
    if (status) return status;
    LLVMContextRef context = LLVMContextCreate();
    LLVMContextSetDiagnosticHandler(context, note_diagnostic, e->error);
    if (o->progress) LLVMContextSetYieldCallback(context, note_yield, o->progress);
    LLVMModuleRef module = LLVMModuleCreateWithNameInContext("actgen", context);
    LLVMSetSourceFileName(module, "", 0); /* no file symbol in the object */
    LLVMSetTarget(module, triple);
    set_module_flags(module, e->functions[0].isa);
    LLVMTargetDataRef layout = LLVMCreateTargetDataLayout(machine->llvm);
    LLVMSetModuleDataLayout(module, layout);
    LLVMDisposeTargetData(layout);
    status = build_module(e, module);
    const struct module_size size = measure_module(module);
    *is_large = !status && !o->quick && size.largest > MOST_INSTRUCTIONS;
    if (!status && !*is_large) status = verify_and_write(e, module, machine, size.instructions);
    if (!status) status = e->error->status; /* an error that LLVM reported through note_diagnostic() */
    LLVMDisposeModule(module);
    LLVMContextDispose(context);
    leave_machine(machine, o->spare);
    if (status) backend_buffer_free(e->out);
    return status;
}

int backend_emit(const struct backend_function *functions, size_t count,
                 const struct backend_options *options, enum backend_output output,
                 struct backend_buffer *out, struct diag *error)
{
    static const struct backend_options none = {0};
    struct diag own = {0};
    struct emission e = {functions, count, options ? options : &none, NULL,
                         output,    out,   error ? error : &own};
    *out = (struct backend_buffer){0};
    int status = check_options(e.options, e.error);
    if (!status) status = check_functions(functions, count, e.error);
    if (!status) status = check_symbols(functions, count, e.options, e.error);
    if (status) return status;
    backend_start();
    status = find_format(&e.format, functions[0].isa, e.options->format, e.error);
    if (!status) status = check_dispatch(e.format, e.options, e.error);
    bool is_large = false;
    if (!status) status = emit_module(&e, &is_large);
    if (status || !is_large) return status;
    struct backend_options quick = *e.options;
    quick.quick = true;
    e.options = &quick;
    return emit_module(&e, &is_large);
}
