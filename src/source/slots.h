/*
 * slots.h: what is kept for a while, until another function takes it from there: "t->open" of a
 * till, which "pay" empties into the receipts of the day; a batch that is sent on.
 *
 * Who takes such a value, and keeps it, is who keeps all that was put into it: of a queue, say,
 * from which a function takes the first and returns it to whoever asks for it. What nobody else
 * takes, and its own class uses, is that class's, whatever its method is called: "enqueue".
 *
 * Example:
 *
 *     struct hf_sources sources = {0};
 *     struct hf_source_flow flow = {.sources = &sources};
 *     struct hf_source_end end = hf_source_flow_of(&flow, 0, 41, HF_TEXT("line_new"));
 *     if (hf_source_moved_on(&flow, end).function != end.function)
 *         hf_out_string(out, "another function takes it from there");
 */
#ifndef HF_SOURCE_SLOTS_H
#define HF_SOURCE_SLOTS_H

#include "source/origin.h"

/* Where the name stands of what a value is put into whose chain begins with the name at `token` of
 * a function: "open" of "t->open", "self.open", "@open". */
uint32_t hf_source_slot_of(const struct hf_source_at *at, uint32_t function, uint32_t token);

/* The end of a value that was kept as `end` says, if another function of the file takes what it was
 * put into, or a part of it, leaves that there no longer, and keeps it, or gives it to who does;
 * else `end`. */
struct hf_source_end hf_source_moved_on(struct hf_source_flow *flow, struct hf_source_end end);

/* Another method of the class uses what was kept as `end` says, and none hands it out: so it is no
 * container for whoever puts something into it. Of C++ and Rust. */
bool hf_source_is_used(struct hf_source_flow *flow, const struct hf_source_end *end);

#endif
