/* A folder of its own for a group of tests, in the working directory. Include cmocka.h first. */
#ifndef ACTGEN_TEST_FOLDER_H
#define ACTGEN_TEST_FOLDER_H

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

#endif
