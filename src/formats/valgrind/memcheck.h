/*
 * memcheck.h: what both forms of Valgrind memcheck's leak report say in the same words.
 *
 *     record = number [ " (" number " direct, " number " indirect)" ] " bytes in " number
 *              " blocks are " kind " in loss record " n " of " m
 *     kind   = "definitely lost" | "indirectly lost" | "possibly lost" | "still reachable"
 *     number = digits with "," between thousands [ " (" sign number ")" ]
 *
 * Source: Valgrind manual, "Memcheck: Memory leak detection"; recorded from 3.19. The second part
 * of a number is the change since the last check, of no use here. The blocks are the direct ones,
 * so only the direct bytes are taken: the indirect ones have records of their own.
 */
#ifndef HF_FORMATS_MEMCHECK_H
#define HF_FORMATS_MEMCHECK_H

#include "base/text.h"
#include "profile/profile.h"

enum hf_leak_kind { HF_LEAK_DEFINITE, HF_LEAK_INDIRECT, HF_LEAK_POSSIBLE, HF_LEAK_REACHABLE };
#define HF_LEAK_KINDS 4

extern const char *const hf_leak_kind_names[HF_LEAK_KINDS]; /* "definitely lost" */

struct hf_leak_amount {
    uint64_t bytes, blocks;
};

struct hf_leak_record {
    enum hf_leak_kind kind;
    struct hf_leak_amount amount;
};

/* True for a line that wants to be a record, whole or not. */
bool hf_leak_is_record(struct hf_text line);
HF_MUST_CHECK bool hf_leak_parse_record(struct hf_text line, struct hf_leak_record *out_record);

/* "1,009 bytes in 7 blocks", and nothing else. */
HF_MUST_CHECK bool hf_leak_parse_amount(struct hf_text text, struct hf_leak_amount *out_amount);

/* The root frame of a kind: "[definitely lost]". Borrowed, for ever. */
struct hf_text hf_leak_label(enum hf_leak_kind kind);

#endif
