/*
 * mallctl.c: jemalloc's control functions, as far as they are about its heap profiler, on any
 * allocator. docs/mallctl.md lists the names.
 *
 * Where a jemalloc is loaded, it is asked for the names that are not here; if it profiles itself
 * (opt.prof), for all of them. Where the agent is off, everything is passed on. Nobody behind us:
 * ENOENT. Rules of arguments are those of jemalloc 5.3; tests/e2e/mallctl.py has both answer.
 *
 * A name as numbers (mallctlnametomib) has one for each of its parts, the first of ours being OURS
 * and its place in the table, which is no index of jemalloc's.
 */
#include <heapflame/mallctl.h>

#include "base/text.h"
#include "config.h"
#include "control.h"
#include "event.h"

#include <dlfcn.h>
#include <errno.h>
#include <string.h>
#include <sys/types.h>

#define OURS ((size_t)0x6866 << 32)

union mallctl_value {
    bool flag;
    size_t size;
    ssize_t number;
    uint64_t bytes;
    const char *text;
};

enum mallctl_kind { FLAG, SIZE, NUMBER, BYTES, TEXT };

static const uint8_t sizes[] = {
    [FLAG] = sizeof(bool),
    [SIZE] = sizeof(size_t),
    [NUMBER] = sizeof(ssize_t),
    [BYTES] = sizeof(uint64_t),
    [TEXT] = sizeof(const char *),
};

enum rule {
    COMMAND = 1, /* `set` is called without a value, too */
    ONE_WAY,     /* read or set in one call, not both */
    GENERAL,     /* not about profiles: a jemalloc behind us knows better */
};

struct mallctl_entry {
    const char *name;
    enum mallctl_kind kind;
    int rule;                                     /* enum rule, or 0 */
    void (*get)(union mallctl_value *out);        /* NULL: cannot be read */
    int (*set)(const union mallctl_value *value); /* NULL: cannot be set */
};

/* The log2 of the period, which need not be a power of two. */
static size_t lg_period(void)
{
    return 63 - (size_t)__builtin_clzll(hf_agent.period_bytes);
}

#define GET(name, member, expression)                                                              \
    static void get_##name(union mallctl_value *out)                                               \
    {                                                                                              \
        out->member = (expression);                                                                \
    }

GET(true, flag, true)
GET(version, text, "heapflame " HF_VERSION)
GET(epoch, bytes, 1)
GET(opt_prof_active, flag, hf_agent.conf.prof_active)
GET(opt_thread_active_init, flag, hf_agent.conf.prof_thread_active_init)
GET(opt_prefix, text, hf_control.opt_prefix)
GET(lg_sample, size, lg_period())
GET(opt_lg_interval, number, hf_agent.conf.lg_prof_interval)
GET(opt_gdump, flag, hf_agent.conf.prof_gdump)
GET(opt_final, flag, hf_agent.conf.prof_final)
GET(opt_leak, flag, hf_agent.conf.prof_leak)
GET(opt_accum, flag, hf_agent.conf.prof_accum)
GET(active, flag, hf_control_is_active())
GET(thread_active_init, flag, hf_control.is_thread_active_init)
GET(gdump, flag, hf_control.dumps_at_maximum)
GET(interval, bytes, hf_control.interval_bytes)
GET(thread_active, flag, hf_control_thread_is_active())
GET(thread_name, text, hf_event_thread_name())

/* There is nothing to be refreshed. */
static int set_epoch(const union mallctl_value *value)
{
    (void)value;
    return 0;
}

static int set_active(const union mallctl_value *value)
{
    hf_control_set_active(value->flag);
    return 0;
}

static int set_thread_active_init(const union mallctl_value *value)
{
    hf_control.is_thread_active_init = value->flag;
    return 0;
}

static int set_gdump(const union mallctl_value *value)
{
    hf_control.dumps_at_maximum = value->flag;
    return 0;
}

static int set_thread_active(const union mallctl_value *value)
{
    hf_control_set_thread_active(value->flag);
    return 0;
}

static int set_thread_name(const union mallctl_value *value)
{
    if (value->text == NULL)
        return EFAULT;
    for (const char *c = value->text; *c != '\0'; c++) {
        if ((*c < ' ' || *c > '~') && *c != '\t')
            return EFAULT;
    }
    return hf_event_name_thread(hf_text_of(value->text));
}

static int mallctl_set_prefix(const union mallctl_value *value)
{
    return value != NULL ? hf_control_set_prefix(value->text) : EINVAL;
}

static int mallctl_dump(const union mallctl_value *value)
{
    return hf_control_dump(value != NULL ? value->text : NULL);
}

/* The period of a table is for good. */
static int reset(const union mallctl_value *value)
{
    return value == NULL || value->size == lg_period() ? hf_control_reset() : EINVAL;
}

static const struct mallctl_entry entries[] = {
    {"config.prof", FLAG, 0, get_true, NULL},
    {"epoch", BYTES, GENERAL, get_epoch, set_epoch},
    {"opt.lg_prof_interval", NUMBER, 0, get_opt_lg_interval, NULL},
    {"opt.lg_prof_sample", SIZE, 0, get_lg_sample, NULL},
    {"opt.prof", FLAG, 0, get_true, NULL},
    {"opt.prof_accum", FLAG, 0, get_opt_accum, NULL},
    {"opt.prof_active", FLAG, 0, get_opt_prof_active, NULL},
    {"opt.prof_final", FLAG, 0, get_opt_final, NULL},
    {"opt.prof_gdump", FLAG, 0, get_opt_gdump, NULL},
    {"opt.prof_leak", FLAG, 0, get_opt_leak, NULL},
    {"opt.prof_prefix", TEXT, 0, get_opt_prefix, NULL},
    {"opt.prof_thread_active_init", FLAG, 0, get_opt_thread_active_init, NULL},
    {"prof.active", FLAG, 0, get_active, set_active},
    {"prof.dump", TEXT, COMMAND, NULL, mallctl_dump},
    {"prof.gdump", FLAG, 0, get_gdump, set_gdump},
    {"prof.interval", BYTES, 0, get_interval, NULL},
    {"prof.lg_sample", SIZE, 0, get_lg_sample, NULL},
    {"prof.prefix", TEXT, COMMAND, NULL, mallctl_set_prefix},
    {"prof.reset", SIZE, COMMAND, NULL, reset},
    {"prof.thread_active_init", FLAG, 0, get_thread_active_init, set_thread_active_init},
    {"thread.prof.active", FLAG, 0, get_thread_active, set_thread_active},
    {"thread.prof.name", TEXT, ONE_WAY, get_thread_name, set_thread_name},
    {"version", TEXT, GENERAL, get_version, NULL},
};

static const struct mallctl_entry *mallctl_find(const char *name)
{
    for (size_t i = 0; i < HF_COUNT(entries); i++) {
        if (hf_text_is(hf_text_of(name), entries[i].name))
            return &entries[i];
    }
    return NULL;
}

/* What jemalloc's macros READONLY, WRITEONLY and READ_XOR_WRITE refuse. */
static bool is_allowed(const struct mallctl_entry *entry, bool is_read, bool is_set)
{
    return !(is_read && entry->get == NULL) && !(is_set && entry->set == NULL) &&
           !(is_read && is_set && entry->rule == ONE_WAY);
}

static int mallctl_answer(
    const struct mallctl_entry *entry, void *oldp, size_t *oldlenp, const void *newp, size_t newlen)
{
    size_t size = sizes[entry->kind];
    union mallctl_value old = {0}, new = {0};
    int error = 0;
    if (!is_allowed(entry, oldp != NULL || oldlenp != NULL, newp != NULL || newlen != 0))
        return EPERM;
    if (newp != NULL && newlen != size)
        return EINVAL;
    if (entry->get != NULL)
        entry->get(&old);
    if (newp != NULL)
        memcpy(&new, newp, size);
    if (newp != NULL || entry->rule == COMMAND)
        error = entry->set(newp != NULL ? &new : NULL);
    if (error != 0 || oldp == NULL || oldlenp == NULL)
        return error;
    size_t room = *oldlenp;
    *oldlenp = room < size ? room : size;
    memcpy(oldp, &old, *oldlenp);
    return room == size ? 0 : EINVAL;
}

/* The functions behind ours. */
static struct {
    int (*by_name)(const char *, void *, size_t *, void *, size_t);
    int (*to_mib)(const char *, size_t *, size_t *);
    int (*by_mib)(const size_t *, size_t, void *, size_t *, void *, size_t);
    _Atomic bool is_known;
    bool profiles; /* a jemalloc that profiles itself */
} next;

static void mallctl_find_next(void)
{
    bool profiles = false;
    size_t size = sizeof profiles;
    if (next.is_known)
        return;
    next.by_name = dlsym(RTLD_NEXT, "mallctl");
    next.to_mib = dlsym(RTLD_NEXT, "mallctlnametomib");
    next.by_mib = dlsym(RTLD_NEXT, "mallctlbymib");
    next.profiles = next.by_name != NULL &&
                    next.by_name("opt.prof", &profiles, &size, NULL, 0) == 0 && profiles;
    next.is_known = true;
}

/* True if the agent answers, if it knows the name. */
static bool is_here(void)
{
    mallctl_find_next();
    return !next.profiles && hf_event_owns();
}

static int pass_name(const char *name, void *oldp, size_t *oldlenp, void *newp, size_t newlen)
{
    return next.by_name != NULL ? next.by_name(name, oldp, oldlenp, newp, newlen) : ENOENT;
}

static int pass_to_mib(const char *name, size_t *mibp, size_t *miblenp)
{
    return next.to_mib != NULL ? next.to_mib(name, mibp, miblenp) : ENOENT;
}

HF_EXPORT int mallctl(const char *name, void *oldp, size_t *oldlenp, void *newp, size_t newlen)
{
    const struct mallctl_entry *entry = is_here() ? mallctl_find(name) : NULL;
    int error = ENOENT;
    if (entry == NULL || entry->rule == GENERAL)
        error = pass_name(name, oldp, oldlenp, newp, newlen);
    return entry != NULL && error == ENOENT ? mallctl_answer(entry, oldp, oldlenp, newp, newlen)
                                            : error;
}

static size_t count_parts(const char *name)
{
    size_t count = 1;
    for (; *name != '\0'; name++)
        count += *name == '.';
    return count;
}

HF_EXPORT int mallctlnametomib(const char *name, size_t *mibp, size_t *miblenp)
{
    const struct mallctl_entry *entry = is_here() ? mallctl_find(name) : NULL;
    int error = ENOENT;
    if (entry == NULL || entry->rule == GENERAL)
        error = pass_to_mib(name, mibp, miblenp);
    if (entry == NULL || error != ENOENT)
        return error;
    size_t count = count_parts(name);
    if (*miblenp > count)
        *miblenp = count;
    for (size_t i = 0; i < *miblenp; i++)
        mibp[i] = i == 0 ? OURS + (size_t)(entry - entries) : 0;
    return 0;
}

HF_EXPORT int mallctlbymib(
    const size_t *mib, size_t miblen, void *oldp, size_t *oldlenp, void *newp, size_t newlen)
{
    bool has_agent = is_here();
    if (miblen != 0 && mib[0] - OURS < HF_COUNT(entries)) {
        const struct mallctl_entry *entry = &entries[mib[0] - OURS];
        return has_agent && miblen == count_parts(entry->name)
                   ? mallctl_answer(entry, oldp, oldlenp, newp, newlen)
                   : ENOENT;
    }
    return next.by_mib != NULL ? next.by_mib(mib, miblen, oldp, oldlenp, newp, newlen) : ENOENT;
}
