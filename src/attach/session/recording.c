#include "attach/session/recording.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

/* `fd`: of a file of that size; -1: none. */
static void *share(size_t bytes, int fd)
{
    int flags = MAP_SHARED | MAP_NORESERVE | (fd < 0 ? MAP_ANONYMOUS : 0);
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, flags, fd, 0);
    return memory != MAP_FAILED ? memory : NULL;
}

/* In memory alone; -1: there is none. */
static int recording_make_file(void)
{
    int fd = memfd_create("heapflame", MFD_CLOEXEC);
    if (fd >= 0 && ftruncate(fd, (off_t)HF_RECORDING_TABLE_BYTES) != 0) {
        close(fd);
        fd = -1;
    }
    return fd;
}

enum hf_status hf_recording_new(
    struct hf_recording **out_recording, bool has_file, struct hf_error *err)
{
    struct hf_recording *recording = share(sizeof *recording, -1);
    int fd = recording != NULL && has_file ? recording_make_file() : -1;
    bool has_room = recording != NULL && (!has_file || fd >= 0);
    void *table = has_room ? share(HF_RECORDING_TABLE_BYTES, fd) : NULL;
    void *log = table != NULL ? share(HF_BACKEND_LOG_BYTES, -1) : NULL;
    if (recording != NULL)
        recording->table_fd = fd;
    if (log == NULL) {
        hf_error_system(err, errno, "cannot map a live table of %llu bytes",
            /* never 1 */ (unsigned long long)HF_RECORDING_TABLE_BYTES);
        if (recording != NULL)
            recording->table = table;
        hf_recording_free(recording);
        return HF_ERR_SYSTEM;
    }
    recording->table = table;
    recording->log = log;
    *out_recording = recording;
    return HF_OK;
}

void hf_recording_free(struct hf_recording *recording)
{
    if (recording == NULL)
        return;
    if (recording->table != NULL)
        (void)munmap(recording->table, HF_RECORDING_TABLE_BYTES);
    if (recording->table_fd >= 0)
        close(recording->table_fd);
    if (recording->log != NULL)
        (void)munmap(recording->log, HF_BACKEND_LOG_BYTES);
    (void)munmap(recording, sizeof *recording);
}

/* What is too much is not there: sentences, none of which says how much was lost. */
static void put_note(struct hf_recording *recording, const struct hf_note *note)
{
    size_t size = strlen(note->text) + 2;
    if (size > sizeof recording->notes - recording->notes_bytes)
        return;
    char *at = recording->notes + recording->notes_bytes;
    at[0] = note->kind == HF_NOTE_LOSS ? '1' : '0';
    memcpy(at + 1, note->text, size - 1);
    recording->notes_bytes += (uint32_t)size;
}

void hf_recording_put_cost(struct hf_recording *recording, const struct hf_session *session)
{
    recording->is_by_bpf = session->backend == &hf_backend_bpf;
    recording->cost = (struct hf_recording_cost){
        .is_counted = session->is_counted,
        .calls = hf_cost_calls(&session->cost),
        .added_per_mille = session->added_per_mille,
        .births_per_mille = session->births_per_mille,
        .period_bytes = session->period_bytes,
    };
    recording->stage = HF_RECORDING_COUNTED;
}

void hf_recording_put_failure(
    struct hf_recording *recording, enum hf_status status, const struct hf_error *err)
{
    recording->failed = status;
    hf_error_format(err, recording->reason, sizeof recording->reason);
}

void hf_recording_put(struct hf_recording *recording, const struct hf_session *session)
{
    recording->is_by_bpf = session->backend == &hf_backend_bpf;
    recording->has_contexts = session->has_contexts;
    recording->chunk_head_bytes = session->chunk_head_bytes;
    recording->end = session->end;
    recording->begin_ns = session->begin_ns;
    recording->end_ns = session->end_ns;
    recording->added_per_mille = session->added_per_mille;
    recording->thin_ns = session->thin_ns;
    recording->followed_ns = hf_session_followed_ns(session);
    recording->windows = session->windows;
    recording->windows_ns = session->windows_ns;
    recording->period_bytes = session->period_bytes;
    recording->progress = session->progress;
    recording->counts = hf_tracker_counts(session->tracker);
    recording->is_in_kernel = session->end == HF_SESSION_CUT_SHORT &&
                              session->backend->gather != NULL && !session->is_gathered;
    recording->notes_bytes = 0;
    for (size_t i = 0; i < session->notes.count; i++)
        put_note(recording, &session->notes.items[i]);
    recording->is_complete = true;
}

static uint64_t recording_now_ns(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

bool hf_recording_cut(struct hf_recording *recording, const char *cause)
{
    struct hf_notes notes = {0};
    if (!recording->is_complete || recording->notes_bytes > sizeof recording->notes)
        return false;
    if (recording->end != HF_SESSION_CUT_SHORT)
        return true; /* all is there */
    if (recording->is_in_kernel)
        recording->end_ns = recording_now_ns();
    hf_notes_add(&notes, HF_NOTE_LOSS,
        "everything after %.1f s, because %s: nothing was recorded from then on",
        (double)(recording->end_ns - recording->begin_ns) / 1e9, cause);
    for (size_t i = 0; i < notes.count; i++)
        put_note(recording, &notes.items[i]);
    hf_notes_done(&notes);
    return true;
}

enum hf_status hf_recording_take(const struct hf_recording *recording,
    const struct hf_session_options *options, struct hf_session *session, struct hf_error *err)
{
    *session = (struct hf_session){
        .options = *options,
        .backend = recording->is_by_bpf ? &hf_backend_bpf : &hf_backend_perf,
        .has_contexts = recording->has_contexts,
        .chunk_head_bytes = recording->chunk_head_bytes,
        .end = (enum hf_session_end)recording->end,
        .begin_ns = recording->begin_ns,
        .end_ns = recording->end_ns,
        .added_per_mille = recording->added_per_mille,
        .thin_ns = recording->thin_ns,
        .followed_ns = recording->followed_ns,
        .period_bytes = recording->period_bytes,
        .progress = recording->progress,
    };
    session->options.spec_count = 0; /* they are not parsed again */
    if (!recording->is_complete || recording->notes_bytes > sizeof recording->notes)
        return hf_error_set(err, HF_ERR_INPUT, "the recording is not complete");
    struct hf_text rest = {recording->notes, recording->notes_bytes};
    while (rest.size != 0) {
        struct hf_text note = hf_text_first(rest, hf_text_find(rest, '\0'));
        struct hf_text text = hf_text_from(note, 1);
        hf_notes_add(&session->notes, hf_text_starts(note, "1") ? HF_NOTE_LOSS : HF_NOTE_INFO,
            "%.*s", (int)text.size, text.data);
        rest = hf_text_from(rest, note.size + 1);
    }
    return HF_OK;
}
