/* Libraries of this project that are loaded when they are first needed. */
#ifndef ACTGEN_LOADABLE_H
#define ACTGEN_LOADABLE_H

/* What the one function that such a library shows returns: the first member of all that the library has. */
struct loadable {
    const char *build; /* which it is part of; libactgen takes no other than its own */
};
typedef const struct loadable *loadable_function(void);

#endif
