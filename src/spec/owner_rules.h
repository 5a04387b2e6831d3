/*
 * owner_rules.h: which functions, source files and modules are a library's, not the program's own.
 *
 *     file    = { line }
 *     line    = ("via" | "as") [ TEXT ]
 *             | CLASS SUBJECT GLOB { GLOB }
 *     CLASS   = "own" | "wrapper" | "helper" | "library" | "entry" | "init" | "reserve" | "pool"
 *     SUBJECT = "function" | "source" | "module"
 *
 * A *wrapper* allocates for whoever calls it and never owns memory: a container, a malloc under
 * another name. A *helper* only sounds like one, and is one where another function of the program
 * called it that is no *entry*, where the program begins. A *library* owns what it allocates only
 * where nobody called it who does. A *reserve* is what a runtime keeps from its start for
 * emergencies: where an *init*, which runs the initializers of libraries, called it, no function
 * outside owns it. A *pool* is a wrapper that makes room for many objects of whoever comes, or does
 * what could be put off: who called it needs not be who has it. `via`: what the functions of the
 * lines below are called beside the owner; without a text, their own names; with "-", they are
 * passed over. `as`: what holds the memory that the functions of the lines below own, e.g. "[heap
 * of V8]": their own names say nothing.
 *
 * A function is matched by its name without parameters and template arguments, a source file by its
 * path, a module by the name of its file, or, if the GLOB has a "/", by its path. "*" is any text,
 * "?" any character, thus also a blank. Words are apart by blanks, "#" and what follows it is a
 * comment. The first rule that matches holds.
 *
 * Example:
 *
 *     struct hf_owner_rules rules = {0};
 *     const struct hf_owner_rule *rule = NULL;
 *     status = hf_owner_rules_parse(
 *         &rules, HF_TEXT("via std::map\nwrapper function std::map::*\n"), "mine.rules", err);
 *     if (status == HF_OK)
 *         rule = hf_owner_rules_find(&rules, HF_OWNER_FUNCTION, HF_TEXT("std::map::at"));
 *     if (rule != NULL)
 *         hf_out_text(out, rule->via);
 *     hf_owner_rules_done(&rules);
 */
#ifndef HF_SPEC_OWNER_RULES_H
#define HF_SPEC_OWNER_RULES_H

#include "base/containers/arena.h"
#include "base/error.h"
#include "base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum hf_owner_class {
    HF_OWNER_WRAPPER,
    HF_OWNER_LIBRARY,
    HF_OWNER_HELPER,
    HF_OWNER_ENTRY,
    HF_OWNER_INIT,
    HF_OWNER_RESERVE,
    HF_OWNER_POOL,
    HF_OWNER_OWN
};
enum hf_owner_subject { HF_OWNER_FUNCTION, HF_OWNER_SOURCE, HF_OWNER_MODULE };

struct hf_owner_rule {
    enum hf_owner_class class;
    enum hf_owner_subject subject;
    struct hf_text glob;
    struct hf_text via; /* empty: the function's own name */
    struct hf_text as;  /* what owns its memory; empty: it does */
    uint32_t next;      /* the next rule of its chain, plus 1; 0: none */
};

/* Numbers of rules, plus 1; 0: none. */
struct hf_owner_chain {
    uint32_t first, last;
};

/* All zero: none. Texts live as long as it. Free with hf_owner_rules_done. */
struct hf_owner_rules {
    struct hf_owner_rule *items;
    size_t count, capacity;
    struct hf_owner_chain *chains; /* the rules of one subject that a text may match, by a byte */
    struct hf_arena arena;
};

/*
 * Adds the rules of a file; `name` is for messages. HF_ERR_INPUT with the line, the column and what
 * was expected there; HF_ERR_LIMIT: it is longer than HF_LIMIT_SPEC_BYTES.
 */
HF_MUST_CHECK enum hf_status hf_owner_rules_parse(
    struct hf_owner_rules *rules, struct hf_text text, const char *name, struct hf_error *err);

/* Adds the rules of presets/owners/. */
HF_MUST_CHECK enum hf_status hf_owner_rules_add_presets(
    struct hf_owner_rules *rules, struct hf_error *err);

/* The first rule for a function, source file or module; NULL: none. */
const struct hf_owner_rule *hf_owner_rules_find(
    const struct hf_owner_rules *rules, enum hf_owner_subject subject, struct hf_text text);

void hf_owner_rules_done(struct hf_owner_rules *rules);

#endif
