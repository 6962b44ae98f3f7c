/* Reasons for skipped tests. scripts/test prints them in its last lines. Include cmocka.h first. */
#ifndef ACTGEN_TEST_SKIPPING_H
#define ACTGEN_TEST_SKIPPING_H

/* Ends the test as skipped. scripts/skipped.sed looks for this form of the line. */
#define SKIP_BECAUSE(...)                                                                                    \
    do {                                                                                                     \
        print_message("SKIPPED: " __VA_ARGS__);                                                              \
        print_message("\n");                                                                                 \
        skip();                                                                                              \
    } while (0)

#endif
