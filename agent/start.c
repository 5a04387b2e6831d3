#include "agent.h"

#include "base/gate.h"
#include "base/mutant.h"
#include "control.h"
#include "environment.h"
#include "event.h"
#include "message.h"
#include "modules.h"
#include "pages.h"
#include "real.h"
#include "record.h"
#include "room.h"
#include "table_file.h"
#include "thread.h"
#include "trial.h"

#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

struct hf_agent hf_agent;

#define HAS_TABLE                                                                                  \
    1 /* the second word of the owner's page: it has one, from which on it is written */

/* A page that a forked child finds wiped. */
static _Atomic uint32_t *make_owner(void)
{
    _Atomic uint32_t *owner = hf_pages_map(HF_LIVE_PAGE_BYTES);
    if (owner != NULL && !HF_MUTANT(FORK) &&
        HF_CALL(SYS_madvise, owner, HF_LIVE_PAGE_BYTES, MADV_WIPEONFORK) != 0) {
        hf_pages_unmap(owner, HF_LIVE_PAGE_BYTES);
        owner = NULL;
    }
    return owner;
}

/* What was the parent's is forgotten: its locks may be held by threads that are not here. */
static void forget_parent(void)
{
    hf_table_file_forget(&hf_agent.table);
    if (HF_MUTANT(FORGET))
        return;
    hf_blocks_forget(&hf_agent.blocks);
    hf_mappings_forget(&hf_agent.mappings);
    hf_stacks_forget(&hf_agent.stacks);
    hf_record_forget();
    hf_modules_forget(&hf_agent.modules);
    hf_filter_forget();
}

/* The agent's own memory is none of the program's. A forked child has none to write of. */
static void note_own(void *pages, size_t bytes, bool is_mapped)
{
    uint64_t start = (uintptr_t)pages, page = HF_LIVE_PAGE_BYTES;
    const struct hf_live_mapped own = {.start = start,
        .end = start + (bytes + page - 1) / page * page,
        .stack = HF_LIVE_BY_AGENT,
        .thread = HF_LIVE_NONE};
    if (atomic_load(&hf_agent.owner[HAS_TABLE]) == 0)
        return;
    if (is_mapped)
        hf_mappings_add(&hf_agent.mappings, &hf_agent.table, &own);
    else
        hf_mappings_take(&hf_agent.mappings, &hf_agent.table, own.start, own.end, NULL);
}

/* For the children: a program that sets its title writes over what it was given as environment. */
static struct hf_text start_keep(struct hf_text text)
{
    char *kept = text.size != 0 ? hf_pages_map(text.size) : NULL;
    if (kept == NULL)
        return text;
    memcpy(kept, text.data, text.size);
    return (struct hf_text){kept, text.size};
}

static bool start_is_wanted(void)
{
    if (getauxval(AT_SECURE) != 0 && !HF_MUTANT(SECURE))
        return false;
    const char *text = getenv("HEAPFLAME_CONF");
    if (text == NULL)
        return false;
    hf_agent.conf = hf_agent_conf_read(start_keep(hf_text_of(text)));
    if (hf_agent.conf.pid != 0)
        hf_environment_hide(hf_text_of(text), hf_agent.conf.pid);
    return hf_agent.conf.prof && hf_trial_passes(hf_agent.conf.is_filtered) &&
           (hf_agent.conf.pid == 0 || HF_MUTANT(PID) ||
               hf_agent.conf.pid == (uint64_t)HF_CALL(SYS_getpid));
}

static bool start_begin(void)
{
    if (hf_agent.owner == NULL) {
        hf_agent.owner = make_owner();
        if (hf_agent.owner == NULL)
            return false;
    }
    if (!hf_table_file_make(&hf_agent.table, &hf_agent.conf))
        return false;
    atomic_store(&hf_gate.notes, hf_agent.table.state->calls);
    hf_agent.period_bytes = hf_agent.conf.period_bytes;
    hf_agent.is_exact = hf_agent.conf.is_exact;
    hf_agent.incarnation++;
    hf_mappings_begin(&hf_agent.mappings, &hf_agent.table);
    atomic_store(&hf_agent.owner[HAS_TABLE], 1);
    hf_pages_tell = note_own;
    hf_control_begin();
    hf_threads_begin();
    if (hf_agent.has_only_mappings)
        atomic_fetch_or(&hf_agent.table.state->bounds, HF_LIVE_BOUND_MALLOC);
    if (!hf_modules_begin(&hf_agent.modules, &hf_agent.table, &hf_agent.cache, "/proc/self/maps"))
        return false;
    hf_filter_hold((uintptr_t)hf_bootstrap, HF_BOOTSTRAP_BYTES);
    hf_blocks_begin(&hf_agent.blocks);
    if (hf_agent.is_exact) {
        hf_filter_hold_all();
        if (hf_room_left() >= HF_ROOM_FOR_SHADOW)
            (void)!hf_shadow_begin(&hf_agent.blocks.shadow); /* else the shards will do */
    }
    return true;
}

bool hf_agent_start(void)
{
    if (hf_agent_is_owner())
        return true; /* another thread was faster */
    uint32_t state = atomic_load(&hf_agent.state);
    bool is_child = state == HF_AGENT_ON;
    if (state == HF_AGENT_OFF || state == HF_AGENT_STARTING || environ == NULL ||
        !atomic_compare_exchange_strong(&hf_agent.state, &state, HF_AGENT_STARTING))
        return false;
    if (is_child)
        hf_gate_forget();
    bool is_on = is_child ? hf_agent.conf.follow_fork && !hf_gate_is_shut()
                          : !hf_gate_is_shut() && start_is_wanted();
    if (is_on && is_child)
        forget_parent();
    is_on = is_on && start_begin();
    if (is_on)
        atomic_store(hf_agent.owner, hf_agent.incarnation);
    atomic_store(&hf_agent.state, is_on ? HF_AGENT_ON : HF_AGENT_OFF);
    return is_on;
}

/* Under Valgrind, whose malloc gets the calls: what is resident is mostly Valgrind's own. */
static bool start_is_emulated(void)
{
    const char *preload = getenv("LD_PRELOAD");
    return preload != NULL && hf_text_has(hf_text_of(preload), "vgpreload");
}

/*
 * Before those of the program and its libraries, as far as the loader allows. Where another malloc
 * gets the calls, the agent still sees what that one maps: an executable with an allocator of its
 * own (chromium, firefox) has all of its memory from there.
 */
__attribute__((constructor(101))) static void start_load(void)
{
    uint32_t state = atomic_load(&hf_agent.state);
    bool is_reached = (state != HF_AGENT_NEW && !hf_agent.began_with_mapping) ||
                      hf_event_reaches_malloc(malloc, free);
    if (state == HF_AGENT_NEW && is_reached)
        free(malloc(1)); /* the first allocation starts the agent */
    if (is_reached && hf_agent_is_owner())
        hf_hooks_python_begin();
    if (is_reached)
        return;
    hf_agent.has_only_mappings = true;
    if (hf_hooks_map_are(munmap) && !start_is_emulated() && hf_event_owns()) {
        atomic_fetch_or(&hf_agent.table.state->bounds, HF_LIVE_BOUND_MALLOC);
    } else if (state == HF_AGENT_NEW) {
        if (start_is_wanted())
            HF_MESSAGE(HF_TEXT("nothing is recorded, because another malloc comes before the "
                               "agent's: the program's own, or one earlier in LD_PRELOAD"));
        atomic_store(&hf_agent.state, HF_AGENT_OFF);
    }
}
