/*
 * call_chain.h: the PHP frames of the thread that runs PHP, each with the native frame that runs
 * it.
 *
 * PHP links its calls (zend_execute_data), innermost first, from executor_globals. One run of
 * execute_ex, which is one native frame, runs all calls up to one that is marked as *top*. Which
 * native frames those are, their addresses say. Where there are more runs than such frames, PHP is
 * in a part of execute_ex that lies elsewhere, or on the stack of a fiber: some runs then share a
 * native frame with their neighbour, in their order. Calls of native functions are left out, for
 * the native stack has them.
 *
 * Nothing is believed: each function must be of a known kind, and its name, its class's and its
 * file must be strings. A chain that breaks these rules has no frames at all, and is said to be
 * broken; while memory is copied, the version is looked at, too (offsets.h).
 *
 * Safety: any context, safe inside malloc; of the thread itself.
 */
#ifndef HF_UNWIND_PHP_CALL_CHAIN_H
#define HF_UNWIND_PHP_CALL_CHAIN_H

#include "unwind/interpreted/frame_chain.h"
#include "unwind/php/offsets.h"
#include "unwind/walk.h"

struct hf_php {
    const struct hf_php_layout *layout;
    uint64_t globals, modules;       /* addresses of executor_globals and module_registry */
    uint64_t execute, execute_bytes; /* of execute_ex */
};

/* True if one of these native frames runs PHP; so only one thread's can. */
HF_MUST_CHECK bool hf_php_runs(const struct hf_php *php, const struct hf_unwind_frame *leaf);

/* Reads the frames of the thread whose native frames these are, and which runs PHP. */
void hf_php_chain_read(struct hf_interpreted_chain *chain, const struct hf_php *php,
    const struct hf_interpreted_memory *memory, const struct hf_unwind_frame *leaf);

#endif
