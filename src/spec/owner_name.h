/*
 * owner_name.h: what the name of a function of the program says of who owns what it allocates.
 *
 * A name is words: "sb_add", "growBuffer" and "util::Pool::grow" are of two or three. Some words
 * are *generic*: nouns of memory and containers (buffer, list, sb), of what lies in them (node,
 * item, int), verbs that allocate (grow, new, dup) or fill (push, append), and words that only
 * qualify (safe, dynamic). All others are the program's *subject*: session, shape, order.
 *
 *   helper   No subject: `mem_get`, `sb_add`, `list_copy_deep`, `grow_real`, `Pool::acquire`; a
 *            container's verb behind the container: `token_array_push`, `TaskQueue::push`; room
 *            for whatever: `answers_grow`, `reallocate_picture_memory`; an operator of C++ that is
 *            none of a call.
 *   maker    Makes an object for whoever asks: a constructor, `session_new`, `Shape::clone`,
 *            `node_new`, `copy_field`, and in C++ `make_shape`, as the standard library calls it.
 *   driver   Calls all that the program does, so it says nothing: `run`, `main_loop`, `worker`,
 *            `Server::run`; but not `Inliner::run`.
 *   none     All others, and all names of scripts. "new_client" or "add_header" is what the program
 *            does, as "open_window" is: the verb is first, and its object is the program's subject.
 */
#ifndef HF_SPEC_OWNER_NAME_H
#define HF_SPEC_OWNER_NAME_H

#include "base/text.h"

enum hf_owner_name {
    HF_OWNER_NAME_NONE,
    HF_OWNER_NAME_HELPER,
    HF_OWNER_NAME_MAKER,
    HF_OWNER_NAME_DRIVER
};

/* `name` has neither parameters nor template arguments; `file`: its source, or empty. */
enum hf_owner_name hf_owner_name_kind(struct hf_text name, struct hf_text file);

/* True of a source file of C or C++. */
bool hf_owner_is_c_file(struct hf_text file);

/* It says that what it makes stays: cache_refusal, memoize; but not cache_new. */
bool hf_owner_name_keeps(struct hf_text name);

/* Of a function of a library: it makes an object, by the verb behind the library's own prefix. */
bool hf_owner_name_makes(struct hf_text name);

#endif
