/* live_notes.c: see live_notes.h. */
#include "formats/heap/live_notes.h"

#include "base/plural.h"
#include "live/interpreted.h"

#include <inttypes.h>
#include <stdio.h>

static void note_losses(
    const struct hf_live_snapshot *table, uint64_t damaged, struct hf_notes *notes)
{
    static const char *const why[HF_LIVE_LOSSES] = {
        [HF_LIVE_LOST_STACK] = "its table of stacks was full",
        [HF_LIVE_LOST_BLOCK] =
            "its table of blocks was full, so these are missing from those in use",
        [HF_LIVE_LOST_WAIT] = "a lock was not available in time",
    };
    uint64_t bounds = atomic_load_explicit(&table->state.bounds, memory_order_relaxed);
    for (size_t i = 0; i < HF_LIVE_LOSSES; i++) {
        uint64_t objects =
            atomic_load_explicit(&table->state.lost_objects[i], memory_order_relaxed);
        uint64_t bytes = atomic_load_explicit(&table->state.lost_bytes[i], memory_order_relaxed);
        if (objects != 0)
            hf_notes_add(notes, HF_NOTE_LOSS,
                "%" PRIu64 " recorded %s of %" PRIu64 " %s %s lost: %s%s", objects,
                hf_plural(objects, "allocation", "allocations"), bytes,
                hf_plural(bytes, "byte", "bytes"), hf_plural(objects, "was", "were"), why[i],
                (bounds & HF_LIVE_BOUND_FILTER) != 0
                    ? "; the program runs under a seccomp filter, so the agent had only the memory "
                      "that it reserved before (docs/agent.md)"
                : (bounds & HF_LIVE_BOUND_ADDRESS_SPACE) != 0
                    ? "; the table is small because the address space of the program is limited "
                      "(ulimit -v)"
                    : "");
    }
    uint64_t lost_mappings =
        atomic_load_explicit(&table->state.lost_mappings, memory_order_relaxed);
    if (table->head.minor >= 6 && lost_mappings != 0)
        hf_notes_add(notes, HF_NOTE_INFO,
            "%" PRIu64 " mapped %s of memory %s not recorded: there was no room, or a lock was not "
            "available in time",
            lost_mappings, hf_plural(lost_mappings, "piece", "pieces"),
            hf_plural(lost_mappings, "was", "were"));
    if (table->in_flight != 0)
        hf_notes_add(notes, HF_NOTE_INFO, "%" PRIu64 " %s counted", table->in_flight,
            hf_plural(table->in_flight,
                "block was allocated or freed while it was read, and is not",
                "blocks were allocated or freed while they were read, and are not"));
    if (damaged != 0)
        hf_notes_add(notes, HF_NOTE_LOSS, "%" PRIu64 " %s damaged and skipped", damaged,
            hf_plural(damaged, "record of the live table is", "records of the live table are"));
}

/* Why there are mappings only, and what shows more. */
static void note_malloc(const struct hf_live_snapshot *table, struct hf_notes *notes)
{
    uint64_t bounds = atomic_load_explicit(&table->state.bounds, memory_order_relaxed);
    if ((bounds & HF_LIVE_BOUND_MALLOC) != 0)
        hf_notes_add(notes, HF_NOTE_INFO,
            "only mappings are recorded, because the program calls another malloc: its own, or one "
            "earlier in LD_PRELOAD. To follow that malloc in a running process: heapflame attach "
            "PID; to see which code touches memory first: heapflame attach --what fault PID");
}

/* An interpreter whose frames are read: what versions are known, and where its own is in a word. */
struct live_language {
    const char *name, *engine, *known, *unsaid; /* of a version that is not said */
    unsigned major_shift, minor_shift;
    bool has_release; /* below the minor */
};

static const struct live_language live_languages[] = {
    [HF_LIVE_PYTHON] = {"Python", "Python", "3.11 to 3.13", "is older", 24, 16, false},
    [HF_LIVE_PHP] = {"PHP", "PHP", "8.2, built for one thread", "is another version or build", 8, 0,
        false},
    [HF_LIVE_PERL] = {"Perl", "Perl", "5.36, built with threads", "is another version or build", 8,
        0, false},
    [HF_LIVE_RUBY] = {"Ruby", "Ruby", "3.1, as a library", "is another version or build", 8, 0,
        false},
    [HF_LIVE_V8] = {"JavaScript", "V8", "10.2 and 11.3 (Node.js 18 and 20)", "does not say", 8, 0,
        false},
    [HF_LIVE_JAVA] = {"Java", "HotSpot", "17", "does not say", 8, 0, false},
    [HF_LIVE_LUA] = {"Lua", "Lua", "5.4.4", "does not say which it is", 16, 8, true},
};

/* Why Java's heap is only seen as a whole. */
static void note_objects(const struct hf_live_snapshot *table, struct hf_notes *notes)
{
    uint64_t bounds = atomic_load_explicit(&table->state.bounds, memory_order_relaxed);
    uint64_t word = atomic_load_explicit(&table->state.interpreter, memory_order_relaxed);
    bool is_exact_java = table->head.period_bytes <= 1 && word >> 48 == HF_LIVE_JAVA &&
                         (word >> 32 & 0xffff) == HF_LIVE_INTERPRETER_READ;
    if ((bounds & HF_LIVE_BOUND_OBJECTS_TAKEN) != 0)
        hf_notes_add(notes, HF_NOTE_INFO,
            "the objects of Java are not recorded, because another tool samples them, and HotSpot "
            "allows one at a time; start the program without that tool");
    else if ((bounds & HF_LIVE_BOUND_OBJECTS_OLD) != 0)
        hf_notes_add(notes, HF_NOTE_INFO,
            "the objects of Java are not recorded: heapflame samples them in OpenJDK 17.0.15 and "
            "later updates of 17, and this one is older");
    else if (table->head.minor >= 5 && is_exact_java)
        hf_notes_add(notes, HF_NOTE_INFO,
            "the objects of Java are not recorded in an exact run; without --exact, they are "
            "sampled");
}

/* Why there are no frames of an interpreter where there could be some. */
static void note_interpreter(const struct hf_live_snapshot *table, struct hf_notes *notes)
{
    uint64_t word = atomic_load_explicit(&table->state.interpreter, memory_order_relaxed);
    uint64_t language = word >> 48, what = word >> 32 & 0xffff;
    if (table->head.minor < 5 || what < HF_LIVE_INTERPRETER_UNKNOWN ||
        language >= HF_COUNT(live_languages))
        return;
    const struct live_language *l = &live_languages[language];
    unsigned major = word >> l->major_shift & 0xff, minor = word >> l->minor_shift & 0xff;
    char release[8] = "";
    if (l->has_release)
        (void)snprintf(release, sizeof release, ".%u", (unsigned)word & 0xff);
    if (major == 0)
        hf_notes_add(notes, HF_NOTE_INFO,
            "%s functions are not shown: heapflame knows %s %s, and this one %s", l->name,
            l->engine, l->known, l->unsaid);
    else if (what == HF_LIVE_INTERPRETER_UNKNOWN)
        hf_notes_add(notes, HF_NOTE_INFO,
            "%s functions are not shown: heapflame knows %s %s, and this is %s %u.%u%s", l->name,
            l->engine, l->known, l->engine, major, minor, release);
    else
        hf_notes_add(notes, HF_NOTE_INFO,
            "%s functions are not shown: the memory of this %s %u.%u%s is not laid out as usual",
            l->name, l->engine, major, minor, release);
}

void hf_live_note(const struct hf_live_snapshot *table, uint64_t damaged, struct hf_notes *notes)
{
    note_losses(table, damaged, notes);
    note_malloc(table, notes);
    note_objects(table, notes);
    note_interpreter(table, notes);
}
