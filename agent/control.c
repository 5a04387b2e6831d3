#include "control.h"

#include "base/gate.h"
#include "base/strings/num.h"
#include "clock.h"
#include "digits.h"
#include "dump.h"
#include "message.h"
#include "room.h"
#include "sampler.h"
#include "table_file.h"

#include <errno.h>
#include <fcntl.h>
#include <time.h>

#define MAXIMUM_STEP (UINT64_C(1) << 20) /* allocated between two looks at the size of memory */
#define WAITS 1000                       /* of some milliseconds each, if a thread dumps */

struct hf_control hf_control;

/* The kinds of dumps, by the letter that names the file. */
enum control_kind { MANUAL, INTERVAL, MAXIMUM, FINAL, KINDS };

/* Of whoever holds the lock. */
static struct {
    struct hf_spinlock lock;
    uint64_t count, counts[KINDS];
    struct hf_dump_base base;
    char path[sizeof hf_control.prefix + 128];
} dumps;

static _Atomic uint64_t passed_bytes, maximum_bytes;

/* The agent's own copy: the environment may change. */
static void control_set_prefix(char *out, size_t room, struct hf_text prefix)
{
    prefix = hf_text_first(prefix, room - 1);
    memcpy(out, prefix.data, prefix.size);
    out[prefix.size] = '\0';
}

void hf_control_begin(void)
{
    const struct hf_agent_conf *conf = &hf_agent.conf;
    hf_dump_base_drop(&dumps.base);
    memset(&dumps, 0, sizeof dumps);
    hf_control.is_thread_active_init = conf->prof_thread_active_init;
    hf_control.dumps_at_maximum = conf->prof_gdump;
    hf_control.interval_bytes =
        conf->lg_prof_interval >= 0 ? UINT64_C(1) << (conf->lg_prof_interval & 63) : 0;
    control_set_prefix(hf_control.opt_prefix, sizeof hf_control.opt_prefix, conf->prof_prefix);
    control_set_prefix(hf_control.prefix, sizeof hf_control.prefix, conf->prof_prefix);
    passed_bytes = 0;
    maximum_bytes = hf_room_mapped();
}

bool hf_control_thread_is_active(void)
{
    struct hf_agent_tls *tls = &hf_agent_tls;
    if (tls->activity == HF_ACTIVITY_UNKNOWN)
        hf_control_set_thread_active(
            atomic_load_explicit(&hf_control.is_thread_active_init, memory_order_relaxed));
    return tls->activity == HF_ACTIVITY_ON;
}

void hf_control_set_thread_active(bool is_active)
{
    hf_agent_tls.activity = is_active ? HF_ACTIVITY_ON : HF_ACTIVITY_OFF;
}

static bool lock(void)
{
    for (unsigned i = 0; i < WAITS && !hf_spinlock_is_mine(&dumps.lock); i++) {
        if (hf_spinlock_take(&dumps.lock))
            return true;
    }
    return false;
}

static void unlock(void)
{
    hf_spinlock_release(&dumps.lock);
}

int hf_control_set_prefix(const char *prefix)
{
    struct hf_text text = hf_text_of(prefix);
    if (text.size >= sizeof hf_control.prefix)
        return ENAMETOOLONG;
    if (!lock())
        return EAGAIN;
    control_set_prefix(hf_control.prefix, sizeof hf_control.prefix, text);
    unlock();
    return 0;
}

static void control_append(size_t *size, struct hf_text part)
{
    memcpy(dumps.path + *size, part.data, part.size);
    *size += part.size;
    dumps.path[*size] = '\0';
}

static void append_number(size_t *size, uint64_t number)
{
    char digits[HF_DIGITS_MAX];
    control_append(size, hf_digits(number, 10, digits));
}

/* The next automatic name: in dumps.path. */
static void name_next(enum control_kind kind)
{
    static const char letters[KINDS] = {'m', 'i', 'u', 'f'};
    size_t size = 0;
    control_append(&size, hf_text_of(hf_control.prefix));
    control_append(&size, HF_TEXT("."));
    append_number(&size, (uint64_t)HF_CALL(SYS_getpid));
    control_append(&size, HF_TEXT("."));
    append_number(&size, dumps.count++);
    control_append(&size, HF_TEXT("."));
    control_append(&size, (struct hf_text){&letters[kind], 1});
    if (kind != FINAL)
        append_number(&size, dumps.counts[kind]++);
    control_append(&size, HF_TEXT(".heap"));
}

static bool control_write_dump(const char *path, struct hf_dump_summary *out_summary)
{
    struct hf_dump dump = {
        .table = &hf_agent.table,
        .base = &dumps.base,
        .period_bytes = hf_agent.period_bytes,
        .has_totals = hf_agent.conf.prof_accum,
    };
    long file = HF_CALL(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (file < 0)
        return false;
    bool is_written = hf_dump_write(&dump, (int)file, out_summary);
    return HF_CALL(SYS_close, file) == 0 && is_written;
}

/* One with an automatic name. False: it could not be written, or there is no prefix. */
static bool dump_next(enum control_kind kind, struct hf_dump_summary *out_summary)
{
    if (hf_control.prefix[0] == '\0')
        return false;
    name_next(kind);
    return control_write_dump(dumps.path, out_summary);
}

int hf_control_dump(const char *path)
{
    struct hf_dump_summary summary;
    if (!lock())
        return EFAULT;
    bool is_written =
        path != NULL ? control_write_dump(path, &summary) : dump_next(MANUAL, &summary);
    unlock();
    return is_written ? 0 : EFAULT;
}

int hf_control_reset(void)
{
    if (!lock())
        return EAGAIN;
    bool is_taken = hf_dump_base_take(&dumps.base, &hf_agent.table);
    unlock();
    return is_taken ? 0 : EAGAIN;
}

/* A watcher that was killed is one no more when its time is over. */
static bool control_is_watched(void)
{
    return atomic_load_explicit(&hf_agent.table.control->watched_until_ns, memory_order_relaxed) >
           hf_clock_now(CLOCK_MONOTONIC);
}

/* Nobody asked, so nobody is told but on standard error. */
static bool dump_unasked(enum control_kind kind, struct hf_dump_summary *out_summary)
{
    if (control_is_watched() || !lock())
        return false;
    bool is_written = dump_next(kind, out_summary);
    if (!is_written && hf_control.prefix[0] != '\0')
        HF_MESSAGE(HF_TEXT("'"), hf_text_of(dumps.path),
            HF_TEXT("' cannot be written, so this heap profile is lost"));
    unlock();
    return is_written;
}

static bool is_new_maximum(void)
{
    uint64_t now = hf_room_mapped(), maximum = atomic_load(&maximum_bytes);
    return now > maximum && atomic_compare_exchange_strong(&maximum_bytes, &maximum, now);
}

static bool is_crossed(uint64_t step, uint64_t before, uint64_t bytes)
{
    return step != 0 && before / step != (before + bytes) / step;
}

void hf_control_pass_mark(size_t size_bytes)
{
    struct hf_dump_summary summary;
    int error = errno;
    if (hf_gate_is_shut())
        return; /* no file can be made */
    uint64_t bytes = hf_sampler_weigh(hf_agent.period_bytes, size_bytes).bytes;
    uint64_t before = atomic_fetch_add_explicit(&passed_bytes, bytes, memory_order_relaxed);
    if (is_crossed(hf_control.interval_bytes, before, bytes))
        (void)dump_unasked(INTERVAL, &summary);
    if (atomic_load_explicit(&hf_control.dumps_at_maximum, memory_order_relaxed) &&
        is_crossed(MAXIMUM_STEP, before, bytes) && is_new_maximum())
        (void)dump_unasked(MAXIMUM, &summary);
    errno = error;
}

/* As jemalloc's summary, on one line. */
static void say_what_leaked(const struct hf_dump_summary *summary)
{
    char bytes[HF_DIGITS_MAX], objects[HF_DIGITS_MAX], stacks[HF_DIGITS_MAX];
    uint64_t count = (summary->live.objects + HF_LIVE_OBJECT / 2) / HF_LIVE_OBJECT;
    HF_MESSAGE(HF_TEXT("leak summary: ~"), hf_digits(summary->live.bytes, 10, bytes),
        HF_TEXT(" bytes, ~"), hf_digits(count, 10, objects), HF_TEXT(" objects, >= "),
        hf_digits(summary->stacks, 10, stacks), HF_TEXT(" stacks: heapflame top "),
        hf_text_of(dumps.path));
}

/* Somebody wants the table when the process has ended: who started it has said so, or looks at it.
 */
static bool is_asked_for(void)
{
    const struct hf_agent_conf *conf = &hf_agent.conf;
    return conf->keep || conf->dir.size != 0 || conf->pid != 0 || conf->family != 0 ||
           atomic_load_explicit(&hf_agent.table.control->is_kept, memory_order_relaxed) != 0 ||
           control_is_watched();
}

/* After the program's own atexit functions and destructors. A vfork child does not come here. */
__attribute__((destructor)) static void control_finish(void)
{
    struct hf_dump_summary summary;
    if (!hf_agent_is_owner())
        return;
    if (hf_agent.conf.prof_final && dump_unasked(FINAL, &summary) && hf_agent.conf.prof_leak)
        say_what_leaked(&summary);
    if (!is_asked_for())
        hf_table_file_remove();
}
