/*
 * Text to numbers, strictly: the whole string is one number in range, or it is refused.
 */
#ifndef LEAKY_SERVICE_PARSE_H
#define LEAKY_SERVICE_PARSE_H

#include <stdbool.h>
#include <stdint.h>

/* Decimal digits only, at most `max`. *out_value is written on success only. */
bool parse_count(const char *text, uint64_t max, uint64_t *out_value);

/* As above, with an optional unit: B, KiB, MiB or GiB. `max` is in bytes. */
bool parse_size(const char *text, uint64_t max, uint64_t *out_value);

#endif
