/* The identity of this build. */
#ifndef ACTGEN_BUILD_ID_H
#define ACTGEN_BUILD_ID_H

/* The hash of the sources. Another build may plan and emit otherwise. */
extern const char build_id[];

#endif
