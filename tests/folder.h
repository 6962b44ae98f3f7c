/* A folder of its own for a group of tests, in the working directory, and engines that keep their results
 * in a folder. Include cmocka.h first. */
#ifndef ACTGEN_TEST_FOLDER_H
#define ACTGEN_TEST_FOLDER_H

#include "actgen.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char folder[64];

/* Makes the folder, as the setup of a group or test. */
static inline int make_folder(void **state)
{
    (void)state;
    strcpy(folder, "folderXXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

/* Removes the folder, as the teardown. */
static inline int remove_folder(void **state)
{
    char command[96];
    (void)state;
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command);
}

/* Opens an engine with its disk cache in the directory, as another process would. "" stands for no cache. */
static inline actgen_engine *engine_in(const char *directory)
{
    actgen_engine *e;
    actgen_engine_options options = ACTGEN_ENGINE_OPTIONS_INIT;
    options.cache_directory = directory;
    assert_int_equal(actgen_engine_create_with(&e, &options, NULL), ACTGEN_OK);
    return e;
}

#endif
