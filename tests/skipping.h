/* A test that is not run here says why: scripts/test prints it in its last lines. Include cmocka.h first. */
#ifndef ACTGEN_TEST_SKIPPING_H
#define ACTGEN_TEST_SKIPPING_H

/* Ends the test, as skipped. The line's form is what scripts/skipped.sed finds. */
#define SKIP_BECAUSE(...)                                                                                    \
    do {                                                                                                     \
        print_message("SKIPPED: " __VA_ARGS__);                                                              \
        print_message("\n");                                                                                 \
        skip();                                                                                              \
    } while (0)

#endif
