/* The machine and the day of a measurement, without which a time means little. */
#ifndef ACTGEN_MEASURE_MACHINE_H
#define ACTGEN_MEASURE_MACHINE_H

#include <stddef.h>

/* Writes the name of the processor as the system knows it ("AMD EPYC 9R14"), else as `actgen list --cores`
 * does ("neoverse-v2"). */
void machine_name(char *name, size_t size);

/* Writes the date in UTC: "2026-11-25". */
enum { DATE_SIZE = 16 };
void date_of_today(char date[DATE_SIZE]);

#endif
