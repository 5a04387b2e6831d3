/*
 * breakpoint.h: where a process executes a breakpoint that its file does not have: a probe of
 * somebody's, or what is left of one.
 *
 * The kernel puts a breakpoint into the memory of the process and takes it out again when the last
 * watcher of that place goes, but not in the name of a task that is being killed ("failed to
 * unregister, leaking uprobe", kernel/events/uprobes.c). What it leaves then, whoever comes next
 * and goes in peace takes along: a probe at the same place is all that is needed.
 */
#ifndef HF_ATTACH_BREAKPOINT_H
#define HF_ATTACH_BREAKPOINT_H

#include "attach/images.h"

/* True if the process has a breakpoint at an address where the file of its image has none. */
HF_MUST_CHECK bool hf_breakpoint_is_at(const struct hf_images *images, uint64_t address);

/* Told of each, in the order of addresses. */
typedef void hf_on_breakpoint(
    void *context, const struct hf_code_segment *segment, uint64_t file_offset);

/* Compares all code with its files; what cannot be read has none. */
void hf_breakpoints_each(
    const struct hf_images *images, hf_on_breakpoint *on_breakpoint, void *context);

#endif
