/*
 * table_control.h: the page of a live table that its writer reads: the switch of sampling, and
 * until when a watcher writes dumps in its place (live/layout.h).
 *
 * Written are single words of the file; whoever has it mapped sees them at once.
 */
#ifndef HF_CAPTURE_TABLE_CONTROL_H
#define HF_CAPTURE_TABLE_CONTROL_H

#include "capture/found_table.h"
#include "live/reader.h"

/* HF_ERR_INPUT: the table is cut short. */
HF_MUST_CHECK enum hf_status hf_table_control_is_active(
    const struct hf_found_table *table, bool *out_is_active, struct hf_error *err);

/* HF_ERR_SYSTEM: it is not ours to write. */
HF_MUST_CHECK enum hf_status hf_table_control_set_active(
    const struct hf_found_table *table, bool is_active, struct hf_error *err);

/* That somebody watches until then, of hf_loop_now_ns; nothing happens if it cannot be written. */
void hf_table_control_watch(const struct hf_found_table *table, uint64_t until_ns);

/* The table stays when its process has ended; nothing happens if it cannot be written. */
void hf_table_control_keep(const struct hf_found_table *table);

/*
 * Leaves in the table what is resident of its process, for who reads that when the process is gone.
 * Nothing happens if it cannot be written.
 */
void hf_table_control_note(
    const struct hf_found_table *table, const struct hf_live_resident_memory *memory);

#endif
