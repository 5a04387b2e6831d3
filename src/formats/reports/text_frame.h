/*
 * text_frame.h: one line of a printed stack, for every reader of reports in text.
 *
 * Two ways of printing are known, and the frame that both become:
 *
 *     Valgrind (memcheck, massif, DHAT; dhat-rs prints a column, too)
 *         "0x" hex ": " place
 *         place = name " (" file ":" line [ ":" column ] ")" | name " (in " path ")" | name
 *     sanitizers (LeakSanitizer of gcc and clang)
 *         "#" n " 0x" hex place [ " (BuildId: " hex ")" ]
 *         place  = [ " in " name " " source ] | " (" path "+0x" hex ")"
 *         source = file [ ":" line [ ":" column ] ] | "(" path "+0x" hex ")"
 *
 * Names are C++ and Rust: they hold blanks, parentheses and brackets; so may paths. Of a place in
 * parentheses the last group counts, if it reads like one. "???" and "<unknown module>" are no
 * names. What cannot be told apart is the name of a C++ function before a relative path with
 * blanks: the name then ends before the last word.
 *
 * Printed addresses are used where nothing better is known: no map says which file they are of.
 *
 * Example:
 *
 *     struct hf_text_frame frame;
 *     if (hf_text_frame_valgrind(HF_TEXT("0x109196: lose_each (leaks.c:12)"), &frame))
 *         hf_out_text(out, frame.function);
 */
#ifndef HF_FORMATS_TEXT_FRAME_H
#define HF_FORMATS_TEXT_FRAME_H

#include "profile/profile.h"

struct hf_text_frame {
    struct hf_text function; /* empty: unknown */
    struct hf_text file;     /* source file; empty: unknown */
    uint32_t line;           /* 0: unknown */
    struct hf_text module;   /* program or library; empty: unknown */
    struct hf_text build_id; /* of it, in hexadecimal; empty: unknown */
    uint64_t offset;         /* in the module, from where it is loaded: an address as linked */
    bool has_offset;
    bool is_in_file;  /* the offset is one in the file */
    bool is_module;   /* all places of the module without a name are one: HF_FRAME_IS_MODULE */
    uint64_t address; /* in the process; 0: unknown */
    bool is_inlined;  /* into the frame that follows */
};

/* Reads one line without what is before the address or '#'. False if it has another form. */
HF_MUST_CHECK bool hf_text_frame_valgrind(struct hf_text line, struct hf_text_frame *out_frame);
HF_MUST_CHECK bool hf_text_frame_sanitizer(struct hf_text line, struct hf_text_frame *out_frame);

/*
 * Splits "name (where)" at its last group in parentheses that stands after a blank, or is all there
 * is. False, and nothing is changed, if there is none.
 */
HF_MUST_CHECK bool hf_text_split_group(
    struct hf_text text, struct hf_text *out_name, struct hf_text *out_where);

/* "file:12" or "file:12:3". False if it has another form. */
HF_MUST_CHECK bool hf_text_source(
    struct hf_text text, struct hf_text *out_file, uint32_t *out_line);

/* "libc.so+0x1f2e" with a path before the plus. False if it has another form. */
HF_MUST_CHECK bool hf_text_module_offset(
    struct hf_text text, struct hf_text *out_module, uint64_t *out_offset);

/* "main" of "main+0x12", as tools print the distance from a symbol; any other name as it is. */
struct hf_text hf_text_without_offset(struct hf_text name);

/*
 * The frame in a profile: by its name; else by module and offset, to be symbolized; else as
 * "[libfoo.so]" of a module alone; else as raw address; else as "[unknown]".
 */
HF_MUST_CHECK enum hf_status hf_text_frame_add(struct hf_profile *profile,
    const struct hf_text_frame *frame, uint32_t *out_frame, struct hf_error *err);

/* A frame that is no function: "[definitely lost]". */
HF_MUST_CHECK enum hf_status hf_text_frame_label(
    struct hf_profile *profile, struct hf_text label, uint32_t *out_frame, struct hf_error *err);

/* A stack whose frames come line by line, leaf first. All-zero is empty. */
struct hf_text_stack {
    uint32_t *frames;
    size_t depth, capacity;
};
void hf_text_stack_done(struct hf_text_stack *stack);

/* Adds the next caller. Beyond HF_LIMIT_STACK_FRAMES nothing is added but a loss note. */
HF_MUST_CHECK enum hf_status hf_text_stack_push(struct hf_text_stack *stack,
    struct hf_profile *profile, const struct hf_text_frame *frame, struct hf_error *err);

/* Adds a frame that is no function, whatever the limit. */
HF_MUST_CHECK enum hf_status hf_text_stack_push_label(struct hf_text_stack *stack,
    struct hf_profile *profile, struct hf_text label, struct hf_error *err);

/* The node of the stack under a root frame with this label, if it is not empty; and an empty stack
 * again. */
HF_MUST_CHECK enum hf_status hf_text_stack_end(struct hf_text_stack *stack,
    struct hf_profile *profile, struct hf_text label, uint32_t *out_node, struct hf_error *err);

#endif
