/*
 * probe_offset.h: where in a function a probe costs least.
 *
 * The kernel emulates the instruction under a probe if it is a push of a register, a nop, or a
 * relative jump or call; any other is stepped: run elsewhere, with a trap before and one after it.
 * Under a hypervisor that is thirteen times as dear, 9 us for 0.7. (branch_setup_ops and
 * push_setup_ops in arch/x86/kernel/uprobes.c of Linux; pushes from 4.16 on. Nops of several bytes
 * are emulated by the newest kernels only, and replaced by calls there; none is chosen.)
 *
 * So a probe slides from the entry over straight code to the first such instruction, if the call
 * looks the same there: what was passed over did not write the stack pointer, nor an argument that
 * is read; did not leave the function; nobody else jumps to where it slid; and it is within
 * HF_PROBE_OFFSET_MAX bytes. Otherwise it stays at the entry, and one knows why. A jump into the
 * part that is passed over is looked for in the code behind it, and from anywhere in the segment if
 * it has a distance of 32 bits, as compilers make it for cold parts.
 *
 * Instructions are decoded by Zydis, which is loaded on first use. x86-64 alone.
 */
#ifndef HF_ATTACH_PROBE_OFFSET_H
#define HF_ATTACH_PROBE_OFFSET_H

#include "base/error.h"
#include "base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HF_PROBE_OFFSET_MAX 24u

/* What a hit costs, in ns of the thread, measured under a hypervisor with Linux 6.18. */
#define HF_PROBE_EMULATED_NS 700u
#define HF_PROBE_STEPPED_NS 9300u

enum hf_probe_refusal {
    HF_PROBE_NOT_REFUSED, /* none: the probe is where an instruction is emulated */
    HF_PROBE_REFUSED_ARGUMENT,
    HF_PROBE_REFUSED_STACK,
    HF_PROBE_REFUSED_LEAVES,
    HF_PROBE_REFUSED_TARGET,
    HF_PROBE_REFUSED_FAR,
    HF_PROBE_REFUSED_UNKNOWN,
    HF_PROBE_REFUSALS
};

struct hf_probe_offset {
    size_t distance; /* bytes from the entry */
    enum hf_probe_refusal refusal;
    bool jumps; /* there to `target` bytes from the entry, whatever happens */
    int64_t target;
};

struct hf_entry_decoder; /* the decoder */

/* HF_ERR_SYSTEM: the library is missing. */
HF_MUST_CHECK enum hf_status hf_entry_decoder_new(
    struct hf_entry_decoder **out_entry_decoder, struct hf_error *err);
void hf_entry_decoder_free(struct hf_entry_decoder *entry_decoder);

/*
 * Where to probe the function at byte `entry` of the executable segment `code`, if its arguments
 * `arguments` (bit N: argument N) are read. Without a entry_decoder: at the entry.
 */
struct hf_probe_offset hf_probe_offset_find(const struct hf_entry_decoder *entry_decoder,
    struct hf_text code, size_t entry, unsigned arguments);

/* Completes "it is stepped: ...". */
const char *hf_probe_refusal_text(enum hf_probe_refusal refusal);

#endif
