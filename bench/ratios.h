/* The texts of ratios.act and ratios.txt, as strings of one line each. Both end with NULL. */
#ifndef ACTGEN_RATIOS_H
#define ACTGEN_RATIOS_H

extern const char *const ratio_kernels[], *const ratio_rows[];

#endif
