/* A folder of its own for a group of tests, in the working directory, and engines that keep what they make in
 * one. Include cmocka.h first. */
#ifndef ACTGEN_TEST_FOLDER_H
#define ACTGEN_TEST_FOLDER_H

#include "actgen.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char folder[64];

/* A group's or test's setup. */
static inline int make_folder(void **state)
{
    (void)state;
    strcpy(folder, "folderXXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

/* Its teardown. */
static inline int remove_folder(void **state)
{
    char command[96];
    (void)state;
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command);
}

/* An engine with its disk cache there, as another process would open it; "": without one. */
static inline actgen_engine *engine_in(const char *directory)
{
    actgen_engine *e;
    actgen_engine_options options = ACTGEN_ENGINE_OPTIONS_INIT;
    options.cache_directory = directory;
    assert_int_equal(actgen_engine_create_with(&e, &options, NULL), ACTGEN_OK);
    return e;
}

#endif
