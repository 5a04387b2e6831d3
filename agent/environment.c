#include "environment.h"

#include "agent.h"
#include "base/gate.h"
#include "pages.h"

#include <errno.h>
#include <limits.h>

#define PRELOAD "LD_PRELOAD="
#define CONF "HEAPFLAME_CONF="
#define RESERVE_BYTES (UINT64_C(256) << 10)

static struct {
    char preload[PATH_MAX]; /* "LD_PRELOAD=" and the agent's path; "": nothing was hidden */
    char *conf;             /* "HEAPFLAME_CONF=" and the value */
    uint64_t pid;
    char **reserve; /* RESERVE_BYTES that were made before a filter came */
} hidden;

/* Before what is asked for there: how large it is. */
struct given {
    size_t bytes;
    char *variables[];
};

static void remove_at(size_t i)
{
    for (; environ[i] != NULL; i++)
        environ[i] = environ[i + 1];
}

/* Takes the agent out of "LD_PRELOAD=AGENT:OTHERS"; false if that begins with something else. */
static bool take_agent(char *variable, bool *out_is_empty)
{
    struct hf_text paths = hf_text_from(hf_text_of(variable), sizeof PRELOAD - 1);
    size_t colon = hf_text_find(paths, ':'), blank = hf_text_find(paths, ' ');
    struct hf_text first = hf_text_first(paths, colon < blank ? colon : blank);
    if (!hf_text_ends(first, "/libheapflame.so") ||
        first.size > sizeof hidden.preload - sizeof PRELOAD)
        return false;
    memcpy(hidden.preload, PRELOAD, sizeof PRELOAD - 1);
    memcpy(hidden.preload + sizeof PRELOAD - 1, first.data, first.size);
    struct hf_text rest = hf_text_from(paths, first.size + 1);
    *out_is_empty = rest.size == 0;
    memmove(variable + sizeof PRELOAD - 1, rest.data, rest.size);
    variable[sizeof PRELOAD - 1 + rest.size] = '\0';
    return true;
}

static bool keep_conf(struct hf_text conf)
{
    hidden.conf = hf_pages_map(sizeof CONF + conf.size);
    if (hidden.conf == NULL)
        return false;
    memcpy(hidden.conf, CONF, sizeof CONF - 1);
    memcpy(hidden.conf + sizeof CONF - 1, conf.data, conf.size);
    return true;
}

void hf_environment_hide(struct hf_text conf, uint64_t pid)
{
    bool is_empty = false;
    if (hidden.conf != NULL || !keep_conf(conf))
        return;
    hidden.pid = pid;
    for (size_t i = 0; environ[i] != NULL; i++) {
        if (!hf_text_starts(hf_text_of(environ[i]), PRELOAD))
            continue;
        if (!take_agent(environ[i], &is_empty))
            return; /* somebody else's way to load it: nothing is hidden that could not come back */
        if (is_empty)
            remove_at(i);
        break;
    }
    for (size_t i = 0; hidden.preload[0] != '\0' && environ[i] != NULL;) {
        if (hf_text_starts(hf_text_of(environ[i]), CONF))
            remove_at(i);
        else
            i++;
    }
}

void hf_environment_reserve(void)
{
    if (hidden.preload[0] != '\0' && hidden.reserve == NULL)
        hidden.reserve = hf_pages_map(RESERVE_BYTES);
}

/* In a child after fork or vfork the environment stays as it is. */
static bool is_the_process(void)
{
    if (hidden.preload[0] == '\0')
        return false;
    if (hf_gate_is_shut())
        return hf_agent_is_owner();
    return (uint64_t)HF_CALL(SYS_getpid) == hidden.pid;
}

static struct given *environment_make_room(size_t bytes)
{
    if (!hf_gate_is_shut())
        return hf_pages_map(bytes);
    return bytes <= RESERVE_BYTES ? (struct given *)(void *)hidden.reserve : NULL;
}

/* Not once the agent asks nothing any more: a vfork child could not be told from its parent. */
static void note_program(const char *program)
{
    if (hf_gate_is_shut() || !hf_agent_is_owner() ||
        hf_agent.table.head->pid != (uint32_t)HF_CALL(SYS_getpid))
        return;
    char *noted = hf_agent.table.state->executed;
    struct hf_text text = hf_text_first(hf_text_of(program), HF_LIVE_EXECUTED_BYTES - 1);
    memcpy(noted, text.data, text.size);
    noted[text.size] = '\0';
}

char *const *hf_environment_for_exec(const char *program, char *const *variables)
{
    static char *const none[] = {NULL};
    int error = errno;
    size_t count = 0;
    struct hf_text others = {0};
    note_program(program != NULL ? program : "an open file");
    if (!is_the_process()) {
        errno = error;
        return variables;
    }
    if (variables == NULL)
        variables = none; /* as the kernel takes it */
    for (; variables[count] != NULL; count++) {
        struct hf_text variable = hf_text_of(variables[count]);
        if (hf_text_take(&variable, PRELOAD))
            others = variable;
    }
    size_t pointers = sizeof(struct given) + (count + 3) * sizeof(char *);
    size_t bytes = pointers + sizeof hidden.preload + others.size + 2;
    struct given *given = environment_make_room(bytes);
    errno = error;
    if (given == NULL)
        return variables;
    given->bytes = bytes;
    size_t used = 0;
    for (size_t i = 0; i < count; i++) {
        struct hf_text variable = hf_text_of(variables[i]);
        if (!hf_text_starts(variable, PRELOAD) && !hf_text_starts(variable, CONF))
            given->variables[used++] = variables[i];
    }
    char *preload = (char *)given + pointers;
    size_t size = strlen(hidden.preload);
    memcpy(preload, hidden.preload, size);
    if (others.size != 0) {
        preload[size++] = ':';
        memcpy(preload + size, others.data, others.size);
    }
    preload[size + others.size] = '\0';
    given->variables[used++] = preload;
    given->variables[used++] = hidden.conf;
    given->variables[used] = NULL;
    return given->variables;
}

void hf_environment_give_back(char *const *given, char *const *variables)
{
    int error = errno;
    note_program("");
    errno = error;
    if (given == variables)
        return;
    struct given *whole = (struct given *)((uintptr_t)given - sizeof *whole);
    if ((char **)whole != hidden.reserve && whole->bytes != 0)
        hf_pages_unmap(whole, whole->bytes);
    errno = error;
}
