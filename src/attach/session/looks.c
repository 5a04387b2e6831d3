#include "attach/session/looks.h"

#include "base/limits.h"
#include "base/plural.h"
#include "os/process/proc.h"
#include "os/process/shielded_worker.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/wait.h>

#define TRIES 4u

_Static_assert(HF_LIMIT_FOLLOWED <= HF_LOOKS_MOST, "there is room for them");

bool hf_look_is_outdated(const struct hf_look *look)
{
    uint64_t program, ticks;
    return look->program != 0 && hf_proc_program(look->process.pid, &program) &&
           program != look->program && hf_proc_start_ticks(look->process.pid, &ticks) &&
           ticks == look->process.start_ticks;
}

/* `options`: of waitpid(2). */
static void reap(struct hf_look *look, int options)
{
    int how;
    if (look->worker == 0)
        return;
    pid_t ended = waitpid(look->worker, &how, options);
    while (ended < 0 && errno == EINTR)
        ended = waitpid(look->worker, &how, options);
    if (ended != 0)
        look->worker = 0;
}

static enum hf_status start_look(
    struct hf_look *look, const struct hf_member *process, bool *out_is_look, struct hf_error *err)
{
    char bytes[HF_PROC_NAME_MAX];
    struct hf_text name = hf_proc_thread_name(process->pid, process->pid, bytes);
    hf_recording_free(look->recording);
    *look =
        (struct hf_look){.process = *process, .is_late = look->is_late, .tries = look->tries + 1};
    (void)snprintf(look->name, sizeof look->name, "%.*s", (int)name.size, name.data);
    if (!hf_proc_program(process->pid, &look->program))
        look->program = 0;
    enum hf_status status = hf_recording_new(&look->recording, false, err);
    if (status == HF_OK)
        status = hf_shielded_worker_start(&look->worker, err);
    *out_is_look = status == HF_OK && look->worker == 0;
    return status;
}

/*
 * Of a process that became another program; or of one that may have done so a moment before, and
 * has not all of its libraries yet.
 */
static struct hf_look *find_outdated(struct hf_looks *looks)
{
    for (size_t i = 0; i < looks->count; i++) {
        struct hf_look *look = &looks->items[i];
        if (look->worker != 0)
            continue;
        if (hf_look_is_outdated(look)) {
            look->tries = 0;
            return look;
        }
        if (look->recording != NULL && look->recording->failed == HF_ERR_INPUT &&
            look->tries < TRIES && hf_proc_start_ticks(look->process.pid, &(uint64_t){0}))
            return look;
    }
    return NULL;
}

static struct hf_member *find_new(struct hf_looks *looks)
{
    for (size_t i = 0; i < looks->members.count; i++) {
        struct hf_member *member = &looks->members.items[i];
        if (member->is_known)
            continue;
        member->is_known = true;
        if (looks->count < HF_LIMIT_FOLLOWED)
            return member;
        looks->left_out++;
    }
    return NULL;
}

enum hf_status hf_looks_step(
    struct hf_looks *looks, struct hf_look **out_started, bool *out_is_look, struct hf_error *err)
{
    *out_started = NULL;
    *out_is_look = false;
    for (size_t i = 0; i < looks->count; i++)
        reap(&looks->items[i], WNOHANG);
    if (looks->is_ending)
        return HF_OK;
    struct hf_look *look = find_outdated(looks);
    struct hf_member process = {0};
    if (look != NULL) {
        process = look->process;
    } else {
        const struct hf_member *member = find_new(looks);
        if (member == NULL)
            return HF_OK;
        process = *member;
        look = &looks->items[looks->count++];
    }
    *out_started = look;
    enum hf_status status = start_look(look, &process, out_is_look, err);
    look->is_late |= looks->has_begun && look->tries == 1;
    if (status == HF_OK || looks->count == 1)
        return status;
    if (look->recording != NULL)
        hf_recording_put_failure(look->recording, status, err);
    return HF_OK;
}

void hf_looks_end(struct hf_looks *looks)
{
    looks->is_ending = true;
    for (size_t i = 0; i < looks->count; i++) {
        if (looks->items[i].recording != NULL)
            looks->items[i].recording->shall_end = true;
    }
    for (size_t i = 0; i < looks->count; i++)
        reap(&looks->items[i], 0);
}

void hf_looks_done(struct hf_looks *looks)
{
    hf_looks_end(looks);
    for (size_t i = 0; i < looks->count; i++)
        hf_recording_free(looks->items[i].recording);
    looks->count = 0;
}

size_t hf_looks_running(const struct hf_looks *looks)
{
    size_t count = 0;
    for (size_t i = 0; i < looks->count; i++)
        count += looks->items[i].worker != 0;
    return count;
}

bool hf_looks_have_reached(const struct hf_looks *looks, enum hf_recording_stage stage)
{
    for (size_t i = 0; i < looks->count; i++) {
        const struct hf_look *look = &looks->items[i];
        if (!look->is_late && look->worker != 0 && look->recording->stage < stage)
            return false;
    }
    return true;
}

void hf_looks_note(const struct hf_looks *looks, struct hf_notes *notes)
{
    if (looks->left_out != 0)
        hf_notes_add(notes, HF_NOTE_LOSS,
            "%" PRIu64 " %s not followed, because %u are (HF_LIMIT_FOLLOWED)", looks->left_out,
            hf_plural(looks->left_out, "process was", "processes were"), HF_LIMIT_FOLLOWED);
    if (looks->members.are_more)
        hf_notes_add(notes, HF_NOTE_LOSS,
            "there are more than %u processes (HF_LIMIT_MEMBERS): the others were not looked at",
            HF_LIMIT_MEMBERS);
}
