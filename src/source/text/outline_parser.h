/*
 * outline_parser.h: how the outline of a script is found (outline.h), for the files that do it:
 * what is open, and where a statement begins and ends. Each language reads its tokens in order and
 * calls these.
 */
#ifndef HF_SOURCE_OUTLINE_PARSER_H
#define HF_SOURCE_OUTLINE_PARSER_H

#include "source/text/outline.h"

#define HF_OUTLINE_BLOCKS 200 /* within each other; what is deeper is not told apart */

enum hf_outline_kind {
    HF_OUTLINE_GROUP,
    HF_OUTLINE_CONTROL,
    HF_OUTLINE_FUNCTION,
    HF_OUTLINE_CLOSURE,
    HF_OUTLINE_CLASS
};

/* What is open: brackets, or a block. */
struct hf_outline_block {
    enum hf_outline_kind kind;
    bool goes_on;       /* so does the statement, behind the block */
    uint32_t statement; /* in which it was opened */
    uint32_t function, within, control;
    uint32_t last; /* its last statement so far */
    uint32_t column;
    struct hf_text class;
};

struct hf_outline_parser {
    struct hf_source_outline *outline;
    struct hf_source_tokens *tokens;
    struct hf_outline_block blocks[HF_OUTLINE_BLOCKS];
    size_t depth; /* the last one is open */
    size_t too_deep;
    uint32_t current; /* statement */
    enum hf_outline_kind
        pending; /* the block that begins where the header ends; HF_OUTLINE_GROUP: none */
    uint32_t pending_name, pending_parameters;
    bool pending_goes_on;
    bool is_cached, is_out_of_memory;
};

/* Words before a block that is no function, before a name, and before a class. */
extern const char *const hf_outline_controls[], *const hf_outline_modifiers[],
                                                    *const hf_outline_classes[];

/* The innermost. */
struct hf_outline_block *hf_outline_top(struct hf_outline_parser *p);
/* It is brackets. */
bool hf_outline_in_group(struct hf_outline_parser *p);
/* The statement goes on with token `at`, or begins there. */
void hf_outline_go_on(struct hf_outline_parser *p, uint32_t at);
/* The statement ends before the next token. */
void hf_outline_end(struct hf_outline_parser *p);
/* The last statement of the innermost block, or of a branch of it, has ended. */
void hf_outline_mark_last(struct hf_outline_parser *p);
/* Opens a block behind token `at`. */
void hf_outline_open(struct hf_outline_parser *p, enum hf_outline_kind kind, uint32_t name,
    uint32_t parameters, bool goes_on);
/* Closes the innermost block, which ends before token `end`; brackets that are open in it are not
 * closed any more. */
void hf_outline_leave(struct hf_outline_parser *p, uint32_t end);
/* The same with the token that closes it, which is of the statement around it. */
void hf_outline_close(struct hf_outline_parser *p, uint32_t at);
/* The name that a function without one is given at once: "const add = (x) => {"; HF_SOURCE_NO. */
uint32_t hf_outline_given_name(const struct hf_outline_parser *p, uint32_t before);
/* A line goes on with what was begun on the line before. */
bool hf_outline_line_goes_on(const struct hf_outline_parser *p, uint32_t at);
/* Opens or closes brackets, if the token is one. */
void hf_outline_brackets(struct hf_outline_parser *p, uint32_t at);

/* One token of PHP, JavaScript or Perl; of C, C++ or Rust; of Ruby or Lua, which return the last
 * one that they took. */
void hf_outline_take_braces(struct hf_outline_parser *p, uint32_t at);
void hf_outline_take_compiled(struct hf_outline_parser *p, uint32_t at);
uint32_t hf_outline_take_ruby(struct hf_outline_parser *p, uint32_t at);
uint32_t hf_outline_take_lua(struct hf_outline_parser *p, uint32_t at);

#endif
