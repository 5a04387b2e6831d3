#include "seal.h"

#include "agent.h"
#include "base/gate.h"
#include "clock.h"
#include "environment.h"
#include "event.h"
#include "map_file.h"
#include "thread.h"

#include <errno.h>
#include <sys/auxv.h>

static struct hf_map_file map;

/* The pieces of the shadow where the program has its memory, and below, where it gets more. */
static void reserve_shadow(void)
{
    struct hf_map_line line;
    unsigned left = HF_SEAL_SHADOW_PIECES;
    struct hf_shadow *shadow = &hf_agent.blocks.shadow;
    if (shadow->pieces == NULL || !hf_map_file_open(&map, "/proc/self/maps"))
        return;
    while (left != 0 && hf_map_file_next(&map, &line)) {
        if (line.path.size != 0 && !hf_text_is(line.path, "[heap]"))
            continue;
        uint64_t at[] = {line.start, line.end - 1, line.start - HF_SHADOW_PIECE_BYTES,
            line.end + HF_SHADOW_PIECE_BYTES};
        for (unsigned i = 0; i < HF_COUNT(at) && left != 0; i++) {
            if (hf_shadow_find(shadow, at[i]) == NULL && hf_shadow_make(shadow, at[i]) != NULL)
                left--;
        }
    }
    hf_map_file_close(&map);
}

static void reserve(void)
{
    struct hf_live_table *table = &hf_agent.table;
    hf_live_reserve(table, hf_agent.is_exact ? HF_SEAL_EXACT_BYTES : HF_SEAL_SAMPLED_BYTES);
    hf_record_reserve();
    hf_blocks_reserve(
        &hf_agent.blocks, hf_agent.is_exact && hf_agent.blocks.shadow.pieces != NULL
                              ? 0
                              : table->committed[HF_LIVE_BLOCKS] / sizeof(struct hf_live_block));
    reserve_shadow();
    hf_threads_reserve();
    hf_environment_reserve();
    hf_modules_reread(&hf_agent.modules);
}

/* A vfork child has its parent's memory, and another number. */
static bool is_of_this_process(void)
{
    return hf_agent.table.head->pid == (uint32_t)HF_CALL(SYS_getpid);
}

bool hf_seal(void)
{
    if (hf_gate_is_shut())
        return false;
    int error = errno;
    bool owns = hf_event_owns();
    if (owns && !is_of_this_process()) {
        errno = error;
        return false;
    }
    if (owns && hf_event_hold()) {
        reserve();
        hf_event_let_go();
    }
    hf_clock.stopped_ns = hf_clock_now(CLOCK_MONOTONIC);
    hf_clock.is_stopped = getauxval(AT_SYSINFO_EHDR) == 0;
    hf_clock.is_coarse = true;
    if (owns)
        atomic_fetch_or(&hf_agent.table.state->bounds, HF_LIVE_BOUND_FILTER);
    hf_gate_shut();
    errno = error;
    return true;
}

void hf_seal_undo(void)
{
    hf_gate_open();
    hf_clock.is_coarse = false;
    if (hf_agent_is_owner())
        atomic_fetch_and(&hf_agent.table.state->bounds, ~(uint64_t)HF_LIVE_BOUND_FILTER);
}
