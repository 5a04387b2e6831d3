#include "attach/keeper/bpf_program.h"

#include "attach/keeper/bpf_object.h"
#include "base/text.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* What is used of libbpf. */
struct bpf_program_libbpf {
    libbpf_print_fn_t (*set_print)(libbpf_print_fn_t);
    struct bpf_object *(*object_open)(const void *, size_t, const struct bpf_object_open_opts *);
    int (*object_load)(struct bpf_object *);
    void (*object_close)(struct bpf_object *);
    int (*object_map)(const struct bpf_object *, const char *);
    struct bpf_map *(*object_map_named)(const struct bpf_object *, const char *);
    int (*map_set_room)(struct bpf_map *, __u32);
    struct bpf_program *(*object_program)(const struct bpf_object *, const char *);
    int (*program_fd)(const struct bpf_program *);
    int (*program_set_type)(struct bpf_program *, enum bpf_attach_type);
    struct bpf_link *(*program_attach)(
        const struct bpf_program *, pid_t, const char *, size_t, const struct bpf_uprobe_opts *);
    struct bpf_link *(*program_attach_tracepoint)(const struct bpf_program *, const char *);
    int (*link_destroy)(struct bpf_link *);
    int (*processors)(void);
};

static const struct hf_library_function functions[] = {
    {"libbpf_set_print", offsetof(struct bpf_program_libbpf, set_print)},
    {"bpf_object__open_mem", offsetof(struct bpf_program_libbpf, object_open)},
    {"bpf_object__load", offsetof(struct bpf_program_libbpf, object_load)},
    {"bpf_object__close", offsetof(struct bpf_program_libbpf, object_close)},
    {"bpf_object__find_map_fd_by_name", offsetof(struct bpf_program_libbpf, object_map)},
    {"bpf_object__find_map_by_name", offsetof(struct bpf_program_libbpf, object_map_named)},
    {"bpf_map__set_max_entries", offsetof(struct bpf_program_libbpf, map_set_room)},
    {"bpf_object__find_program_by_name", offsetof(struct bpf_program_libbpf, object_program)},
    {"bpf_program__fd", offsetof(struct bpf_program_libbpf, program_fd)},
    {"bpf_program__set_expected_attach_type",
        offsetof(struct bpf_program_libbpf, program_set_type)},
    {"bpf_program__attach_uprobe_opts", offsetof(struct bpf_program_libbpf, program_attach)},
    {"bpf_program__attach_raw_tracepoint",
        offsetof(struct bpf_program_libbpf, program_attach_tracepoint)},
    {"bpf_link__destroy", offsetof(struct bpf_program_libbpf, link_destroy)},
    {"libbpf_num_possible_cpus", offsetof(struct bpf_program_libbpf, processors)},
};

static const struct hf_library library = HF_BPF_LIBRARY(functions);

static const char *const map_names[HF_BPF_MAPS] = {
    [HF_BPF_MAP_OPTIONS] = "options",
    [HF_BPF_MAP_FOLLOWED] = "followed",
    [HF_BPF_MAP_PROBES] = "probes",
    [HF_BPF_MAP_GAPS] = "gaps",
    [HF_BPF_MAP_PROCESSORS] = "processors",
    [HF_BPF_MAP_OPEN_CALLS] = "open_calls",
    [HF_BPF_MAP_BLOCKS] = "blocks",
    [HF_BPF_MAP_CONTEXTS] = "contexts",
    [HF_BPF_MAP_TOTALS] = "totals",
    [HF_BPF_MAP_STACKS] = "stacks",
};

/* Newer than the headers of libbpf 1.1: linux/bpf.h of Linux 6.6 and 6.13. */
#define TRACE_UPROBE_MULTI_LINK 48
#define TRACE_UPROBE_SESSION 57

struct uprobe_multi {
    uint32_t program_fd, target_fd, attach_type, flags;
    uint64_t path, offsets, reference_counters, cookies;
    uint32_t count, multi_flags, pid, padding;
};

/* Links that come and go together, in the order in which they come. */
enum { ENDS, BIRTHS, GROUPS };
struct link_group {
    bool is_attached;
    int session_links[HF_BPF_PROBES_MAX];
    size_t session_count;
    struct bpf_link *links[2 * HF_BPF_PROBES_MAX + 1];
    size_t link_count;
};

struct hf_bpf_program {
    struct bpf_program_libbpf bpf;
    struct bpf_object *object;
    int maps[HF_BPF_MAPS];
    bool is_session;
    struct link_group groups[GROUPS];
};

/* libbpf prints for everybody; what it says is kept for the sentence of the error. */
static char said[256];

HF_PRINTF(2, 0)
static int keep_message(enum libbpf_print_level level, const char *format, va_list arguments)
{
    if (level == LIBBPF_WARN && said[0] == '\0') {
        (void)vsnprintf(said, sizeof said, format, arguments);
        said[strcspn(said, "\n")] = '\0';
    }
    return 0;
}

static enum hf_status bpf_program_fail(const char *what, int error, struct hf_error *err)
{
    if (error == EPERM || error == EACCES)
        return hf_error_set(err, HF_ERR_SYSTEM,
            "the kernel does not let this user %s: that needs CAP_BPF and CAP_PERFMON, or root",
            what);
    return hf_error_set(err, HF_ERR_SYSTEM, "cannot %s: %s%s%s%s", what, strerror(error),
        said[0] != '\0' ? " (" : "", said, said[0] != '\0' ? ")" : "");
}

static enum hf_status make_room(
    const struct hf_bpf_program *program, const struct hf_bpf_wish *wish, struct hf_error *err)
{
    const struct hf_bpf_machine machine = {
        .processors = hf_bpf_program_processors(program),
        .memory_bytes = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE),
    };
    const struct hf_bpf_room room = hf_bpf_room_of(wish, &machine);
    const struct {
        const char *map;
        uint32_t entries;
    } rooms[] = {
        {"gaps", room.gaps},
        {"blocks", room.blocks},
        {"contexts", room.contexts},
        {"short_lived", room.short_lived},
        {"seen_stacks", room.seen_stacks},
        {"stacks", room.ring_bytes},
    };
    int error = 0;
    for (size_t i = 0; i < HF_COUNT(rooms) && error == 0; i++)
        error = program->bpf.map_set_room(
            program->bpf.object_map_named(program->object, rooms[i].map), rooms[i].entries);
    return error == 0 ? HF_OK : bpf_program_fail("make room in a map of the kernel", -error, err);
}

static enum hf_status load_object(
    struct hf_bpf_program *program, const struct hf_bpf_wish *wish, struct hf_error *err)
{
    const struct bpf_program_libbpf *bpf = &program->bpf;
    said[0] = '\0';
    bpf->set_print(keep_message);
    program->object = program->is_session
                          ? bpf->object_open(hf_bpf_sessions, hf_bpf_sessions_size, NULL)
                          : bpf->object_open(hf_bpf_pairs, hf_bpf_pairs_size, NULL);
    if (program->object == NULL)
        return bpf_program_fail("read the program for the kernel", errno, err);
    if (program->is_session)
        bpf->program_set_type(bpf->object_program(program->object, "session"),
            (enum bpf_attach_type)TRACE_UPROBE_SESSION);
    enum hf_status status = make_room(program, wish, err);
    if (status != HF_OK)
        return status;
    int error = bpf->object_load(program->object);
    if (error != 0)
        return bpf_program_fail("load a program into the kernel", -error, err);
    for (size_t i = 0; i < HF_BPF_MAPS; i++)
        program->maps[i] = bpf->object_map(program->object, map_names[i]);
    return HF_OK;
}

enum hf_status hf_bpf_program_prepare(struct hf_error *err)
{
    struct bpf_program_libbpf ignored;
    return hf_library_load(&library, &ignored, err);
}

enum hf_status hf_bpf_program_new(
    struct hf_bpf_program **out_program, const struct hf_bpf_wish *wish, struct hf_error *err)
{
    struct hf_bpf_program *program = calloc(1, sizeof *program);
    if (program == NULL)
        return hf_error_memory(err);
    program->is_session = wish->is_session != 0;
    enum hf_status status = hf_library_load(&library, &program->bpf, err);
    if (status == HF_OK)
        status = load_object(program, wish, err);
    if (status != HF_OK) {
        hf_bpf_program_free(program);
        return status;
    }
    *out_program = program;
    return HF_OK;
}

static void detach_group(struct hf_bpf_program *program, struct link_group *group)
{
    for (size_t i = 0; i < group->session_count; i++)
        close(group->session_links[i]);
    for (size_t i = 0; i < group->link_count; i++)
        program->bpf.link_destroy(group->links[i]);
    group->session_count = group->link_count = 0;
    group->is_attached = false;
}

void hf_bpf_program_pause(struct hf_bpf_program *program)
{
    detach_group(program, &program->groups[BIRTHS]);
}

void hf_bpf_program_detach(struct hf_bpf_program *program)
{
    hf_bpf_program_pause(program); /* first, for no block whose end is not seen */
    detach_group(program, &program->groups[ENDS]);
}

void hf_bpf_program_free(struct hf_bpf_program *program)
{
    if (program == NULL)
        return;
    hf_bpf_program_detach(program);
    if (program->object != NULL)
        program->bpf.object_close(program->object);
    free(program);
}

int hf_bpf_program_map(const struct hf_bpf_program *program, enum hf_bpf_map map)
{
    return program->maps[map];
}

uint32_t hf_bpf_program_processors(const struct hf_bpf_program *program)
{
    int processors = program->bpf.processors();
    return processors > 0 ? (uint32_t)processors : 0;
}

/* All probes of places[first]'s group and file as one link. */
static enum hf_status attach_sessions(struct hf_bpf_program *program, uint32_t pid,
    const struct hf_bpf_place *places, size_t count, size_t first, struct hf_error *err)
{
    struct link_group *group = &program->groups[places[first].is_birth];
    uint64_t offsets[HF_BPF_PROBES_MAX], cookies[HF_BPF_PROBES_MAX];
    uint32_t found = 0;
    for (size_t i = 0; i < count; i++) {
        bool is_same = places[i].is_birth == places[first].is_birth &&
                       strcmp(places[i].path, places[first].path) == 0;
        if (is_same && i < first)
            return HF_OK; /* done with that one */
        if (!is_same)
            continue;
        offsets[found] = places[i].offset;
        cookies[found++] = i;
    }
    struct bpf_program *session = program->bpf.object_program(program->object, "session");
    struct uprobe_multi link = {
        .program_fd = (uint32_t)program->bpf.program_fd(session),
        .attach_type = TRACE_UPROBE_SESSION,
        .path = (uintptr_t)places[first].path,
        .offsets = (uintptr_t)offsets,
        .cookies = (uintptr_t)cookies,
        .count = found,
        .pid = pid,
    };
    int fd = (int)syscall(SYS_bpf, BPF_LINK_CREATE, &link, sizeof link);
    if (fd < 0)
        return bpf_program_fail("attach to functions of the process", errno, err);
    group->session_links[group->session_count++] = fd;
    return HF_OK;
}

static enum hf_status attach_pair(struct hf_bpf_program *program, uint32_t pid,
    const struct hf_bpf_place *place, size_t number, struct hf_error *err)
{
    static const char *const names[] = {"returned", "entered"}; /* first who forgets the call */
    struct link_group *group = &program->groups[place->is_birth];
    for (size_t i = place->returns ? 0 : 1; i < HF_COUNT(names); i++) {
        LIBBPF_OPTS(bpf_uprobe_opts, options, .bpf_cookie = number, .retprobe = i == 0);
        const struct bpf_program *one = program->bpf.object_program(program->object, names[i]);
        struct bpf_link *link = program->bpf.program_attach(
            one, (pid_t)pid, place->path, (size_t)place->offset, &options);
        if (link == NULL)
            return bpf_program_fail("attach to functions of the process", errno, err);
        group->links[group->link_count++] = link;
    }
    return HF_OK;
}

/* Before any probe: what comes after an exec(3) is another program's. */
static enum hf_status attach_exec(struct hf_bpf_program *program, struct hf_error *err)
{
    struct link_group *group = &program->groups[ENDS];
    struct bpf_link *link = program->bpf.program_attach_tracepoint(
        program->bpf.object_program(program->object, "execed"), "sched_process_exec");
    if (link == NULL)
        return bpf_program_fail("watch for an exec of the process", errno, err);
    group->links[group->link_count++] = link;
    return HF_OK;
}

static enum hf_status attach_group(struct hf_bpf_program *program, uint32_t pid,
    const struct hf_bpf_place *places, size_t count, size_t number, struct hf_error *err)
{
    enum hf_status status = number == ENDS ? attach_exec(program, err) : HF_OK;
    for (size_t i = 0; i < count && status == HF_OK; i++) {
        if (places[i].is_birth == (number == BIRTHS))
            status = program->is_session ? attach_sessions(program, pid, places, count, i, err)
                                         : attach_pair(program, pid, &places[i], i, err);
    }
    program->groups[number].is_attached = true;
    return status;
}

enum hf_status hf_bpf_program_attach(struct hf_bpf_program *program, uint32_t pid,
    const struct hf_bpf_place *places, size_t count, struct hf_error *err)
{
    if (count > HF_BPF_PROBES_MAX)
        return hf_error_set(
            err, HF_ERR_LIMIT, "more than %d probes (HF_BPF_PROBES_MAX)", HF_BPF_PROBES_MAX);
    said[0] = '\0';
    enum hf_status status = HF_OK;
    for (size_t number = 0; number < GROUPS && status == HF_OK; number++) {
        if (!program->groups[number].is_attached)
            status = attach_group(program, pid, places, count, number, err);
    }
    return status;
}
