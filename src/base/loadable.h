/* Libraries of this project that are loaded when they are first needed. */
#ifndef ACTGEN_LOADABLE_H
#define ACTGEN_LOADABLE_H

/* The description that the only exported function of such a library returns. It is the first member of a
 * larger struct. */
struct loadable {
    /* The build that the library belongs to. libactgen takes no other build than its own. */
    const char *build;
};
typedef const struct loadable *loadable_function(void);

#endif
