/*
 * place.h: what the debug information says of an address, and what of it could not be read.
 */
#ifndef HF_DWARF_PLACE_H
#define HF_DWARF_PLACE_H

#include "base/error.h"
#include "base/text.h"

#include <stddef.h>
#include <stdint.h>

/* What else is known of a line, in four bytes. */
#define HF_FOLDER_BYTES_MAX 0x1fffu
struct hf_dwarf_detail {
    uint16_t column;            /* 0: unknown, or not asked for */
    uint16_t folder_bytes : 13; /* at the start of the path: the folder of compilation; 0: none */
    uint16_t is_helper : 1;     /* the function is one (dwarf/helpers.h), if that was asked for */
    uint16_t may_keep : 1;      /* it is one that may keep what it makes */
    uint16_t is_near : 1; /* the table has no line here (line 0); this is that of the code before */
};

struct hf_dwarf_frame {
    struct hf_text name;    /* DW_AT_name; may be empty */
    struct hf_text linkage; /* mangled; may be empty */
    struct hf_text scope; /* what the name stands in, "shop::Cart", where it has no linkage name */
    struct hf_text file;  /* path; may be empty */
    uint32_t line;        /* 0: unknown */
    struct hf_dwarf_detail detail;
};

/* The calls at one address, innermost first. count 0: no function is described there. */
struct hf_dwarf_place {
    struct hf_dwarf_frame *frames;
    size_t count;
    /* File and line of the address when no function is described but a line is. */
    struct hf_text file;
    uint32_t line;
    struct hf_dwarf_detail detail;
};

/* What was found to be missing of a file, since the resolver was made. */
struct hf_dwarf_damage {
    uint64_t units; /* given up somewhere in the middle */
    struct hf_error first;
    uint64_t missing_names;      /* of which a part is in a supplementary file that is not there */
    uint64_t split_units;        /* that own addresses, and whose functions were not found */
    struct hf_error first_split; /* why those of the first were not */
};

#endif
