/* Names of number.h as users of double words know them. */
#ifndef ACTGEN_EXTENDED_H
#define ACTGEN_EXTENDED_H

#include "number.h"

#define extended          number
#define extender          composer
#define ext_number        word_constant
#define ext_op            word_op
#define ext_plus          word_add
#define ext_minus         word_sub
#define ext_times         word_mul
#define ext_multiply_add  word_fma
#define ext_is_below_zero word_is_negative
#define ext_polynomial    word_polynomial
#define ext_single        number_of_word
#define ext_two_sum       word_two_sum
#define ext_quick_two_sum word_quick_two_sum
#define ext_two_product   word_two_product
#define ext_pair          word_pair
#define ext_split         word_pair_of
#define ext_constant      number_of_pair
#define ext_mul           number_times
#define ext_add           number_plus
#define ext_power         word_power
#define ext_plain_exp     word_exp
#define extended_odd      number_odd

#endif
