/* Which build this is. */
#ifndef ACTGEN_BUILD_ID_H
#define ACTGEN_BUILD_ID_H

extern const char build_id[]; /* of the sources: other builds may plan and emit otherwise */

#endif
