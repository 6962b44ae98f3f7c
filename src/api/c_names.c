/* Functions of the C library and of POSIX: a kernel with the name of one, linked into a program, would be called in its place. */
#include "header.h"

#include <string.h>

/* C17, 7.12, each also with f and l at its end; then POSIX's and glibc's further ones. */
static const char mathematics[] =
    " acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh erf erfc exp exp10 exp2 expm1 fabs "
    "fdim finite floor fma fmax fmaximum fmin fminimum fmod frexp gamma hypot ilogb isinf isnan j0 j1 jn "
    "ldexp lgamma llrint "
    "llround log log10 log1p log2 logb lrint lround modf nan nearbyint nextafter nextdown nexttoward nextup "
    "pow pow10 remainder "
    "remquo rint round roundeven rsqrt scalb scalbln scalbn signbit significand sin sincos sinh sinpi sqrt "
    "tan tanh tanpi tgamma "
    "trunc y0 y1 yn "
    "cabs cacos cacosh carg casin casinh catan catanh ccos ccosh cexp cimag clog conj cpow cproj creal csin "
    "csinh csqrt ctan ctanh ";

/* Names of one word that a kernel may well have, of C17, 7.5 to 7.31, and of POSIX.1-2017. */
static const char others[] = " abort abs accept access alarm atexit atof atoi atol atoll basename bind brk "
                             "bsearch calloc chdir chmod chown chroot clock clone "
                             "close confstr connect creat ctime daemon dirname div drand48 dup dup2 encrypt "
                             "environ err errx exit execl execv ffs fork free "
                             "fsync ftw getc getenv getopt gets glob htonl index ioctl isalpha isatty kill "
                             "labs ldiv link listen llabs lldiv lockf "
                             "longjmp lseek main malloc memccpy memchr memcmp memcpy memmem memmove memset "
                             "mkdir mknod mktime mmap mount munmap "
                             "nice ntohl open optarg optind pause perror pipe poll printf putc puts pwrite "
                             "pread qsort raise rand random read readv realloc reboot recv "
                             "remove rename rewind rindex rmdir sbrk scanf select send setenv setjmp "
                             "shutdown signal sleep socket splice srand stat stime "
                             "strcat strchr strcmp strcpy strdup strlen strstr strtod strtol swab symlink "
                             "sync syscall sysinfo syslog system tee tempnam time times "
                             "tolower toupper truncate ttyname tzset ulimit umask uname ungetc unlink utime "
                             "vfork vhangup wait wait4 waitpid warn write ";

static bool is_listed(const char *list, const char *name, size_t length)
{
    for (const char *at = list; (at = strstr(at, " ")) && at[1]; at++)
        if (!strncmp(at + 1, name, length) && at[1 + length] == ' ') return true;
    return false;
}

bool is_c_name(const char *name)
{
    const size_t length = strlen(name);
    if (is_listed(mathematics, name, length) || is_listed(others, name, length)) return true;
    return length > 1 && strchr("fl", name[length - 1]) && is_listed(mathematics, name, length - 1);
}
