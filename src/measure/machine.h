/* On what calls are timed: a time means little without it. */
#ifndef ACTGEN_MEASURE_MACHINE_H
#define ACTGEN_MEASURE_MACHINE_H

#include <stddef.h>

/* The processor as the system names it, else as `actgen list --cores` does: "AMD EPYC 9R14", "neoverse-v2".
 */
void machine_name(char *name, size_t size);

/* The date in UTC, "2026-11-25". */
enum { DATE_SIZE = 16 };
void date_of_today(char date[DATE_SIZE]);

#endif
