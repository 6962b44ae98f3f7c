/* The program: forks once, works in the child, and turns the child's end into an exit code. LLVM may abort
 * the process it runs in; here that becomes a message and exit code 70. */
#include "cli.h"
#include "diagnostics.h"
#include "options.h"
#include "ranks.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define COMPILES                                                                                             \
    (WITH(EXPRESSION) | WITH(TYPE) | WITH(ACCURACY) | WITH(ISA) | WITH(TUNE) | WITH(PROFILE) | WITH(CACHE) | \
     WITH(NO_CACHE) | WITH(PLAN) | WITH(PLANS) | WITH(PROVE) | WITH(TIER) | WITH(PLAN_LIMIT) |               \
     WITH(TIME_LIMIT) | WITH(MEMORY_LIMIT))

const struct command commands[] = {
    {"list", "[NAME...|--cores|--values-of OPTION] [--json]",
     "The built-ins, or those named: name, family, form and definition",
     WITH(CORES) | WITH(VALUES_OF) | WITH(JSON), command_list,
     "The form says which are the exact, tanh-approximated, sigmoid-approximated and fused-gate forms.\n"
     "--cores lists the cores that --tune knows, and where their costs are from; --values-of what an option "
     "may "
     "be,\none word a line, for shells that complete it.\n",
     CODE_SHOWN},
    {"check", "FILE... [--json]", "Read spec files and say what is wrong with them",
     WITH(EXPRESSION) | WITH(JSON), command_check,
     "  actgen check examples/ffn.act\n\nWithout a message and with exit code 0, the files are good.\n",
     CODE_SHOWN},
    {"show", "WHAT... --stage STAGE [--json]", "Print a stage of the way from text to machine code",
     COMPILES | WITH(STAGE) | WITH(JSON), command_show,
     "  actgen show gelu --stage lane\n  actgen show examples/ffn.act:ffn_geglu --stage asm --isa avx2\n",
     CODE_SHOWN},
    {"compile", "WHAT... -o OUT.o [--header OUT.h] [--depfile OUT.d] [--json]",
     "Write an object file, and the header for it",
     COMPILES | WITH(OBJECT) | WITH(HEADER) | WITH(DEPFILE) | WITH(PREFIX) | WITH(VISIBILITY) | WITH(FORMAT) |
         WITH(DISPATCH) | WITH(JSON),
     command_compile,
     "  actgen compile examples/ffn.act -o ffn.o --header ffn.h\n"
     "  actgen compile examples/ffn.act -o ffn.o --visibility default && cc -shared ffn.o -o libffn.so\n\n"
     "All kernels of a file go into one object, for all instruction sets unless --isa names some: its "
     "functions choose\n"
     "when they are called. They are hidden in the program or shared library that the object is linked into; "
     "with\n"
     "--visibility default other programs and languages can load them from there. 'all' are those of this "
     "machine's\n"
     "architecture; for another one, name its set: --isa neon.\n",
     CODE_LINKED},
    {"eval", "WHAT NUMBER... [NAME=NUMBER...] [--json]",
     "Print values, slopes and errors of a kernel at given inputs", COMPILES | WITH(JSON), command_eval,
     "  actgen eval gelu -0.1 -0.5 2\n  actgen eval swiglu gate=1,2 up=0.5\n"
     "  actgen eval -e 'x/(1+exp(-x)^2)' 1\n\n"
     "A row of the table has an input, the compiled kernel's result, its derivative, the exact\n"
     "value and the error. A number without a name is for the only input that has none.\n",
     CODE_RUN},
    {"run", "WHAT --in X.npy|NUMBER,... [--in ...] [--out Y.npy ...] [--json]",
     "Run a kernel over numbers or NumPy files", COMPILES | WITH(IN) | WITH(OUT) | WITH(COLUMNS) | WITH(JSON),
     command_run,
     "  actgen run gelu --in -0.1\n  actgen run gelu --in -1,0,1.5\n"
     "  actgen run gelu --in x.npy --out y.npy\n"
     "  actgen run examples/ffn.act:ffn_geglu --in qkv.npy --columns 0:2880 --in up.npy --out y.npy\n\n"
     "One --in for each input and one --out for each result, in declared order; '[gate | up]' is one. "
     "Without --out\n"
     "the results are printed, a row a line. A number stands for all values of an input, several are a row. "
     "Files are\n"
     "float32, float64, float16, int8 or uint8, as the operand is, uint16 for bf16, uint8 for e4m3 and e5m2. "
     "The "
     "last dimension is a row.\n",
     CODE_RUN},
    {"verify",
     "WHAT...|--all|--merge FILE... [--exhaustive [--shard I/N|--resume FILE] [--mpi]] [--report FILE] "
     "[--json]",
     "Compare kernels with the reference and with the interpreter",
     COMPILES | WITH(ALL) | WITH(EXHAUSTIVE) | WITH(SHARD) | WITH(MERGE) | WITH(MPI) | WITH(RESUME) |
         WITH(REPORT) | WITH(DETAILS) | WITH(JSON),
     command_verify,
     "  actgen verify gelu --exhaustive\n  actgen verify --all --json\n"
     "  actgen verify gelu --exhaustive --shard 3/64 --report part3.json\n"
     "  actgen verify --merge part*.json --report gelu.json\n"
     "  mpirun -n 4 actgen verify gelu --exhaustive --mpi --resume gelu.journal\n\n"
     "The bound is judged by MPFR; machine code must equal the interpreter in every bit. A bound is a "
     "promise "
     "for\n"
     "each function of one value (actgen help language); 'whole ulp' is what the result of several operands "
     "had.\n"
     "With --all the default is all instruction sets; one that this processor lacks is 'skipped'. Exit code "
     "1 "
     "if a\n"
     "bound is missed, 4 if code that was asked for could not be compared here.\n",
     CODE_RUN},
    {"bench", "WHAT...|--all [-n N,...] [--rows R] [--cols C [--stride S]] [--json]",
     "Measure the time an element takes",
     COMPILES | WITH(ALL) | WITH(SIZES) | WITH(ROWS) | WITH(COLS) | WITH(STRIDE) | WITH(LATENCY) | WITH(JSON),
     command_bench,
     "  actgen bench gelu --accuracy 'abs 2^-22'\n  actgen bench examples/ffn.act:ffn_geglu --rows 64 --cols "
     "2880 "
     "--stride 5760\n\n"
     "Nanoseconds an element on one core, out of place, the minimum of many repetitions, beside a copy: the "
     "same\n"
     "operands by a kernel that only adds and converts. Where all are of one type, also beside memcpy, of "
     "f32 "
     "beside\n"
     "a copying ReLU, of f32 and f64 beside a plain C loop on libm. Kernels with sums are timed by "
     "actgen_run, in n's place rows x "
     "columns;\n"
     "without --rows and --cols rows are of 4096 elements.\n",
     CODE_RUN},
    {"tune", "WHAT...|--all [--export FILE] [--brief] [--json]", "Time plans and loops, and keep the fastest",
     (COMPILES & ~(WITH(PLAN) | WITH(PLANS))) | WITH(ALL) | WITH(EXPORT) | WITH(BRIEF) | WITH(JSON),
     command_tune,
     "  actgen tune gelu --accuracy 'abs 2^-22'\n  actgen tune examples/ffn.act --isa avx512,avx2 --export "
     "ffn.plans\n"
     "  actgen compile examples/ffn.act -o ffn.o --header ffn.h --plans ffn.plans\n\n"
     "The best plans of the search, each with every form of its loop, timed in turn on this machine, at "
     "several\n"
     "places of the stack; the least of many, in nanoseconds an element. The winner goes into the cache, "
     "where\n"
     "--plan measure finds it, and into the plan file.\n",
     CODE_RUN},
    {"plot",
     "WHAT...|--all -o OUT.svg [--interval A,B] [--vary NAME] [--value NAME=NUMBER ...] [--panels ...] "
     "[--json]",
     "Draw kernels: the curve, its derivative, and the error over all inputs",
     COMPILES | WITH(ALL) | WITH(OBJECT) | WITH(INTERVAL) | WITH(VARY) | WITH(VALUE) | WITH(PANELS) |
         WITH(JSON),
     command_plot,
     "  actgen plot gelu -o gelu.svg\n"
     "  actgen plot relu gelu silu -o three.svg --panels curve,derivative\n"
     "  actgen plot swiglu -o gate.svg --vary gate --value up=0.5\n\n"
     "What is drawn is what the compiled kernels compute. The error is the one that is bounded, in ulps or "
     "|error| / max(1, |y|),\n"
     "the largest found in each binade of the input's type: of all numbers of a 16-bit type, else of a "
     "sample.\n",
     CODE_RUN},
    {"report", "WHAT...|--all -o OUT.html [--interval A,B] [--vary NAME] [--value NAME=NUMBER ...] [--json]",
     "Write a page about kernels: curves, errors, special values, plan, code, speed",
     COMPILES | WITH(ALL) | WITH(OBJECT) | WITH(INTERVAL) | WITH(VARY) | WITH(VALUE) | WITH(JSON),
     command_report,
     "  actgen report gate.act -o gate.html\n  actgen report gelu -o gelu.html --accuracy 'abs 2^-22'\n\n"
     "One page that needs nothing beside it, light or dark, for a phone or a desk.\n",
     CODE_RUN},
    {"fit",
     "WHAT --to FUNCTION|EXPR --parameter NAME[=START] ... [--interval A,B] [--points ...] [--measure NAME] "
     "[-o OUT.svg] "
     "[--json]",
     "Fit free parameters of a function to another function",
     WITH(EXPRESSION) | WITH(TYPE) | WITH(TO) | WITH(PARAMETER) | WITH(INTERVAL) | WITH(POINTS) |
         WITH(MEASURE) | WITH(OBJECT) | WITH(CACHE) | WITH(NO_CACHE) | WITH(JSON),
     command_fit,
     "  actgen fit gelu_tanh --to gelu --parameter a --interval -10,10 -o fit.svg\n"
     "  actgen fit -e 'x*sigmoid(beta*x)' --to gelu --parameter beta=1.7 --measure max\n\n"
     "WHAT is a function with parameters, FILE:FUNCTION, or a formula of x and the parameters. The mean "
     "squared error is\n"
     "that over the interval, by the trapezoidal rule at 4001 points, or over --points.\n",
     CODE_RUN},
    {NULL, NULL, NULL, 0, NULL, NULL, CODE_SHOWN}};

static int work(int argc, char **argv)
{
    struct options options;
    int code = options_parse(&options, argc, argv);
    if (code == EXIT_GOOD) {
        if (options.language)
            print_language();
        else if (options.help && options.command)
            print_command_help(options.command);
        else if (options.help)
            print_usage();
        else if (options.version)
            printf("actgen %d.%d.%d, %s\n", ACTGEN_VERSION_MAJOR, ACTGEN_VERSION_MINOR, ACTGEN_VERSION_PATCH,
                   actgen_backend_version());
        else
            code = options.command->run(&options);
    }
    if (json_standard() && !options.help && !options.version) json_end(json_standard());
    problems_are_objects(false); /* the array is complete */
    options_free(&options);
    errno = 0;
    if (fflush(stdout) || ferror(stdout)) {
        print_error(EXIT_IO, "cannot write to the standard output%s%s", errno ? ": " : "",
                    errno ? strerror(errno) : "");
        code = worse_exit(code, EXIT_IO);
    }
    return code;
}

static volatile pid_t child;

/* The terminal sends its signals to the child too; what another process sends to us alone is passed on. */
static void pass_on(int signal_number, siginfo_t *info, void *context)
{
    (void)context;
    if (info->si_code <= 0 && child > 0) kill(child, signal_number);
}

/* Says what may be the reason of the signal. */
static const char *reason_of(int signal_number)
{
    enum { LEAST_STACK = 256 << 10 };
    struct rlimit stack;
    const bool is_small = !getrlimit(RLIMIT_STACK, &stack) && stack.rlim_cur < LEAST_STACK;
    if (signal_number == SIGKILL) return "; was memory short?";
    if (signal_number == SIGSEGV && is_small)
        return "; the stack is too small: actgen needs 256 KiB (ulimit -s)";
    return "; this is a defect of actgen or of LLVM";
}

static int wait_for_child(void)
{
    int status;
    while (waitpid(child, &status, 0) < 0) {
        if (errno == EINTR) continue;
        return print_error(EXIT_INTERNAL, "cannot wait for the working process: %s", strerror(errno));
    }
    if (WIFEXITED(status)) return WEXITSTATUS(status);
    int signal_number = WTERMSIG(status);
    if (signal_number == SIGINT || signal_number == SIGTERM || signal_number == SIGHUP ||
        signal_number == SIGPIPE)
        return 128 + signal_number;
    const int rank = ranks_from_environment();
    char named[32] = "";
    if (rank >= 0) snprintf(named, sizeof named, "rank %d: ", rank);
    return print_error(EXIT_INTERNAL, "%sinternal error: the working process ended by signal %d (%s)%s",
                       named, signal_number, strsignal(signal_number), reason_of(signal_number));
}

int main(int argc, char **argv)
{
    static const int passed[] = {SIGINT, SIGTERM, SIGHUP};
    sigset_t block, before;
    sigemptyset(&block);
    for (size_t i = 0; i < sizeof passed / sizeof passed[0]; i++) sigaddset(&block, passed[i]);
    sigprocmask(SIG_BLOCK, &block, &before); /* until both know who they are */
    pid_t parent = getpid();
    child = fork();
    if (child < 0) return print_error(EXIT_INTERNAL, "cannot start the working process: %s", strerror(errno));
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != parent) return EXIT_INTERNAL;
        signal(SIGXFSZ, SIG_IGN); /* a file beyond `ulimit -f` fails as on a full disk, with EFBIG */
        sigprocmask(SIG_SETMASK, &before, NULL);
        return work(argc, argv);
    }
    struct sigaction action = {.sa_sigaction = pass_on, .sa_flags = SA_SIGINFO};
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < sizeof passed / sizeof passed[0]; i++) {
        struct sigaction old;
        if (!sigaction(passed[i], NULL, &old) && old.sa_handler != SIG_IGN)
            sigaction(passed[i], &action, NULL);
    }
    sigprocmask(SIG_SETMASK, &before, NULL);
    return wait_for_child();
}
