/* forbid_code PROGRAM ARGUMENT...: runs the program in a process that may not make memory executable, as
 * SELinux or a sandbox may forbid it. Exits with 77 where the kernel cannot forbid it. */
#include <stdio.h>
#include <sys/prctl.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    enum { DENY_WRITE_EXECUTE = 65 /* PR_SET_MDWE */, REFUSE_GAIN = 1, UNKNOWN_HERE = 77 };
    if (argc < 2 || prctl(DENY_WRITE_EXECUTE, REFUSE_GAIN, 0, 0, 0)) return UNKNOWN_HERE;
    execvp(argv[1], argv + 1);
    perror(argv[1]);
    return 126;
}
