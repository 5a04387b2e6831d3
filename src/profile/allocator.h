/*
 * allocator.h: which functions are the allocator itself.
 *
 * A heap sample is taken inside the allocator, so its leaf frames are the same in every stack and
 * say nothing. The rule (jeprof's): of a stack, everything from the outermost allocator frame to
 * the leaf is cut. A stack made of nothing else keeps its outermost frame.
 */
#ifndef HF_PROFILE_ALLOCATOR_H
#define HF_PROFILE_ALLOCATOR_H

#include "base/text.h"

#include <stdbool.h>

/* True for a function name: malloc's family, operator new and delete, jemalloc's, tcmalloc's, ...
 */
bool hf_allocator_is_function(struct hf_text name);

/* True for the path of a library that is nothing but an allocator: libjemalloc.so.2 ... */
bool hf_allocator_is_module(struct hf_text path);

#endif
