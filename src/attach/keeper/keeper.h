/*
 * keeper.h: the half of attaching that needs rights: what watches a process is opened here, held,
 * and taken out again. Everything else, as reading the process's files and what the kernel tells
 * of it, is done by a worker without rights (os/process/sandbox.h), which asks through
 * keeper_line.h.
 *
 * The worker holds nothing that a probe depends on: it may die of whatever, at any time, and the
 * keeper takes the probes out.
 *
 * Somebody who took the worker over may ask for anything, so what is asked is looked at:
 *
 * - The one process that the command line names is watched, whatever is asked.
 * - A probe goes into a regular file that is reached through that process's own folder of /proc, at
 *   an offset that the file has, in a line that is one line. What the file is to the process does
 *   not matter: the kernel puts a breakpoint into the memory of the watched process and of its
 *   children alone. There it may be put where it breaks that process.
 * - Of system calls, those that spec/system_call.h names are watched, in that process.
 * - Records hold registers and stacks of the process, never anything of the kernel's.
 * - The program for the kernel is ours; what the worker writes are its maps.
 *
 * One at a time: either events of perf, or the program, or both after another.
 */
#ifndef HF_ATTACH_KEEPER_H
#define HF_ATTACH_KEEPER_H

#include "attach/keeper/bpf_program.h"
#include "attach/keeper/perf_events.h"
#include "attach/keeper/perf_ring.h"
#include "attach/keeper/perf_wish.h"

#include <sys/types.h>

struct hf_keeper;

/* NULL: no memory. */
struct hf_keeper *hf_keeper_new(uint32_t pid);
void hf_keeper_free(struct hf_keeper *keeper); /* also of NULL; takes everything out */

/*
 * Takes everything out: whoever asked for it is dead. What the program in the kernel remembers is
 * there until the next is loaded.
 */
void hf_keeper_reset(struct hf_keeper *keeper);

/*
 * Who reads too late loses calls: process `reader`, 0: this one, is as important as a process can
 * be, or as it was before. Where that may not be, nothing happens.
 */
void hf_keeper_hurry(struct hf_keeper *keeper, pid_t reader, bool is_urgent);

/*
 * Events of perf: wanted kind by kind, opened together, begun, ended, closed. `path`: the file of a
 * probe, as in attach/probe.h. HF_ERR_INPUT: it is not to be had; HF_ERR_LIMIT; HF_ERR_SYSTEM: the
 * kernel refuses.
 */
HF_MUST_CHECK enum hf_status hf_keeper_want(struct hf_keeper *keeper,
    const struct hf_perf_wish *wish, const char *path, struct hf_error *err);
HF_MUST_CHECK enum hf_status hf_keeper_open(struct hf_keeper *keeper, struct hf_error *err);

/* What was opened, all borrowed. */
struct hf_keeper_opened {
    const struct hf_perf_file *files;
    size_t count;
    const struct hf_perf_ring *rings; /* as large as they could be; whoever reads maps them, too */
    size_t ring_count;
};
struct hf_keeper_opened hf_keeper_opened(const struct hf_keeper *keeper);

/* `filter`: which contexts' calls count (perf_wish.h); "": all. */
HF_MUST_CHECK enum hf_status hf_keeper_begin(
    struct hf_keeper *keeper, const char *filter, struct hf_error *err);
void hf_keeper_end(struct hf_keeper *keeper); /* nothing counts any more, or is recorded */
uint64_t hf_keeper_count(const struct hf_keeper *keeper, uint32_t kind);
void hf_keeper_close(struct hf_keeper *keeper);

/* The program for the kernel (attach/keeper/bpf_program.h): loaded, given its places, attached. */
HF_MUST_CHECK enum hf_status hf_keeper_load(
    struct hf_keeper *keeper, const struct hf_bpf_wish *wish, struct hf_error *err);
const struct hf_bpf_program *hf_keeper_program(const struct hf_keeper *keeper); /* NULL: none */
HF_MUST_CHECK enum hf_status hf_keeper_place(
    struct hf_keeper *keeper, const struct hf_bpf_place *place, struct hf_error *err);
HF_MUST_CHECK enum hf_status hf_keeper_attach(struct hf_keeper *keeper, struct hf_error *err);
void hf_keeper_detach(struct hf_keeper *keeper);
void hf_keeper_pause(struct hf_keeper *keeper); /* births, until it is attached again */
void hf_keeper_unload(struct hf_keeper *keeper);

#endif
