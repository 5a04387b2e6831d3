/*
 * looks.h: several processes followed at once (members.h), each by a *look*: a process of its own
 * with one session, its keeper and its recording. So each is held to its own price, and whatever
 * happens to one look is not the others' affair.
 *
 * Looks belong to their *head*, the process that calls this. It starts one for each member, also
 * for those that come later, which are not counted before: they would have done much meanwhile. A
 * process that becomes another program (exec) gets a new one, and what it was before is forgotten
 * with its memory.
 */
#ifndef HF_ATTACH_LOOKS_H
#define HF_ATTACH_LOOKS_H

#include "attach/session/members.h"
#include "attach/session/recording.h"

#include <sys/types.h>

struct hf_look {
    struct hf_member process;
    uint64_t program;            /* that it runs, as hf_proc_program says; 0: not known */
    char name[HF_PROC_NAME_MAX]; /* as a string */
    struct hf_recording *recording;
    unsigned tries; /* that were made */
    pid_t worker;   /* 0: it is over */
    bool is_late;   /* the process was not there from the beginning */
    bool has_said;  /* for who says that it has begun */
};

#define HF_LOOKS_MOST 32 /* at least HF_LIMIT_FOLLOWED */

/* Large: on the heap. All-zero but for who the members are is ready. */
struct hf_looks {
    struct hf_members members;
    struct hf_look items[HF_LOOKS_MOST];
    size_t count;
    bool has_begun;    /* those that come from now on are late */
    bool is_ending;    /* nothing is started any more */
    uint64_t left_out; /* members beyond the limit */
};

/* Ends what still follows, and forgets the recordings. */
void hf_looks_done(struct hf_looks *looks);

/*
 * Sees which looks are over, and starts one if there is a member without. *out_started is NULL if
 * there is none: so call it until then, each time after hf_members_look. In the new process
 * *out_is_look, and *out_started is its look.
 */
HF_MUST_CHECK enum hf_status hf_looks_step(
    struct hf_looks *looks, struct hf_look **out_started, bool *out_is_look, struct hf_error *err);

/* Tells all to end, and waits until they have. */
void hf_looks_end(struct hf_looks *looks);

/* How many are not over. */
size_t hf_looks_running(const struct hf_looks *looks);

/* All that were there at the beginning are as far, or over. */
bool hf_looks_have_reached(const struct hf_looks *looks, enum hf_recording_stage stage);

/* Who was not followed for want of room. */
void hf_looks_note(const struct hf_looks *looks, struct hf_notes *notes);

/* In a look: the process runs another program than when that was started. */
bool hf_look_is_outdated(const struct hf_look *look);

#endif
