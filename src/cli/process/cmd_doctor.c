/*
 * cmd_doctor.c: what can be done on this machine, and to one process, why not, and what to do.
 */
#include "answer/operand.h"
#include "attach/bpf/bpf_maps.h"
#include "attach/keeper/keeper_line.h"
#include "attach/keeper/tracefs.h"
#include "attach/session/mending.h"
#include "attach/session/session.h"
#include "base/plural.h"
#include "base/strings/num.h"
#include "base/strings/units.h"
#include "capture/found_table.h"
#include "capture/leftover_tables.h"
#include "cli/reader.h"
#include "memory/leftovers.h"
#include "os/input.h"
#include "os/process/rights.h"
#include "os/process/sandbox.h"
#include "os/process/shielded_worker.h"
#include "spec/presets.h"

#include <inttypes.h>
#include <linux/capability.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

extern const struct hf_command hf_cmd_doctor; /* below */

struct doctor_options {
    struct hf_common common;
    bool mends;
};

static const struct hf_option mending_options[] = {
    {"mend", 0, HF_OPT_FLAG(struct doctor_options, mends),
        "remove breakpoints that a killed tool left in the process"},
    {0},
};

static const struct hf_option_group groups[] = {
    {"Repair", mending_options},
    {"Help", hf_common_options},
    {0},
};

struct doctor {
    struct hf_out *out;
    bool needs_rights;                   /* bpf: --no-sandbox */
    bool can_perf, can_bpf, can_process; /* no process was asked for, or it can be followed */
};

/* One line: what was looked at, and how it is. */
static void doctor_say(struct doctor *doctor, const char *what, bool is_well, const char *how)
{
    hf_out_printf(doctor->out, "%-14s %-4s %s\n", what, is_well ? "yes" : "no", how);
}

/* The value behind `key` in a file of the system, as text; false if there is none. */
static bool doctor_read_value(const char *path, const char *key, char out[64])
{
    struct hf_input input;
    struct hf_text line;
    enum hf_status status = HF_OK;
    bool is_found = false;
    if (hf_input_open(&input, path, NULL) != HF_OK)
        return false;
    while (!is_found && hf_input_next(&input, &line, &status, NULL)) {
        is_found = hf_text_take(&line, key);
        if (is_found)
            (void)snprintf(out, 64, "%.*s", (int)hf_text_trim_start(line, " \t").size,
                hf_text_trim_start(line, " \t").data);
    }
    hf_input_close(&input);
    return is_found;
}

static void look_at_rights(struct doctor *doctor)
{
    static const struct {
        unsigned bit;
        const char *name, *why;
    } needed[] = {
        {CAP_SYS_ADMIN, "CAP_SYS_ADMIN", "to make probes by perf"},
        {CAP_SYS_PTRACE, "CAP_SYS_PTRACE", "to read memory of other users' processes"},
        {CAP_PERFMON, "CAP_PERFMON", "to follow calls by bpf"},
        {CAP_BPF, "CAP_BPF", "to load a program into the kernel"},
    };
    char value[64];
    uint64_t has = 0;
    struct hf_out missing = {0};
    if (!doctor_read_value("/proc/self/status", "CapEff:", value) ||
        !hf_num_hex(hf_text_of(value), &has))
        has = 0;
    for (size_t i = 0; i < HF_COUNT(needed); i++) {
        if ((has >> needed[i].bit & 1) == 0)
            hf_out_printf(&missing, "%s%s (%s)",
                missing.size != 0 ? ", " : "missing: ", needed[i].name, needed[i].why);
    }
    hf_out_char(&missing, '\0');
    bool is_well = missing.size == 1;
    doctor_say(doctor, "rights", is_well, is_well ? "all that attaching needs" : missing.data);
    if (!is_well)
        hf_out_string(doctor->out,
            "                    run as root; in a container, also add these capabilities\n");
    hf_out_done(&missing);
    if (doctor_read_value("/proc/sys/kernel/yama/ptrace_scope", "", value) &&
        strcmp(value, "0") != 0)
        hf_out_printf(doctor->out,
            "%-14s %-4s /proc/sys/kernel/yama/ptrace_scope: only root may read the memory of other "
            "processes\n",
            "ptrace scope", value);
}

static void look_at_perf(struct doctor *doctor)
{
    struct hf_tracefs tracefs;
    struct hf_error err;
    char how[HF_ERROR_TEXT_MAX], paranoid[64] = "?";
    doctor->can_perf = hf_tracefs_open(&tracefs, &err) == HF_OK;
    doctor_say(doctor, "tracefs", doctor->can_perf,
        doctor->can_perf ? "user-space probes can be created" : err.text);
    if (doctor->can_perf && tracefs.stale_events != 0)
        hf_out_printf(doctor->out,
            "                    removed %zu %s that killed tools had left behind\n",
            tracefs.stale_events, hf_plural(tracefs.stale_events, "probe", "probes"));
    if (doctor->can_perf)
        hf_tracefs_close(&tracefs);
    (void)doctor_read_value("/proc/sys/kernel/perf_event_paranoid", "", paranoid);
    (void)snprintf(how, sizeof how, "/proc/sys/kernel/perf_event_paranoid is %s%s", paranoid,
        geteuid() == 0 ? ", which does not apply to root" : "");
    doctor_say(doctor, "perf", geteuid() == 0, how);
    doctor->can_perf &= geteuid() == 0;
}

/* As the worker of attach does, which has no rights. */
static bool reads_maps(void *context)
{
    const struct hf_bpf_program *program = context;
    struct hf_bpf_maps *maps;
    int files[HF_BPF_MAPS];
    for (int map = 0; map < HF_BPF_MAPS; map++)
        files[map] = dup(hf_bpf_program_map(program, (enum hf_bpf_map)map));
    const struct hf_bpf_options options = {0};
    const uint32_t zero = 0;
    return hf_bpf_maps_open(&maps, files, hf_bpf_program_processors(program), NULL, NULL, NULL) ==
               HF_OK &&
           hf_bpf_map_put(maps, HF_BPF_MAP_OPTIONS, &zero, &options, NULL) == HF_OK;
}

static void look_at_maps(struct doctor *doctor, struct hf_bpf_program *program)
{
    if (!doctor->can_bpf)
        return;
    bool are_read = hf_sandbox_lets(reads_maps, program);
    doctor_say(doctor, "bpf maps", are_read,
        are_read ? "a process without rights can read them"
                 : "a process without rights cannot read them before Linux 5.19: use --no-sandbox");
    doctor->needs_rights = !are_read;
}

static void look_at_bpf(struct doctor *doctor)
{
    struct hf_bpf_program *program = NULL;
    struct hf_error err, later;
    const struct hf_bpf_wish sessions = {.is_session = true}, pairs = {0};
    bool has_sessions = hf_bpf_program_new(&program, &sessions, &err) == HF_OK;
    doctor->can_bpf = has_sessions || hf_bpf_program_new(&program, &pairs, &later) == HF_OK;
    doctor_say(doctor, "bpf", doctor->can_bpf,
        has_sessions ? "the program loads, with uprobe sessions"
        : doctor->can_bpf
            ? "the program loads; sampling costs more without uprobe sessions (Linux 6.13, BTF)"
            : err.text);
    look_at_maps(doctor, program);
    hf_bpf_program_free(program);
}

/* Tables of processes that are dead. */
struct left {
    size_t count;
    uint64_t bytes;
};

static bool see_table(void *context, const char *path)
{
    struct left *left = context;
    struct hf_leftover_table leftover;
    if (hf_leftover_table_at(path, &leftover)) {
        left->count++;
        left->bytes += leftover.bytes;
    }
    return true;
}

static void look_at_tables(struct doctor *doctor)
{
    struct left left = {0};
    char how[128], size[HF_UNITS_MAX];
    hf_found_tables_everywhere(NULL, see_table, &left);
    (void)snprintf(how, sizeof how, "%zu left by dead processes%s%s%s", left.count,
        left.count != 0 ? ", " : "", left.count != 0 ? hf_units_bytes(left.bytes, size) : "",
        left.count != 0 ? ": 'heapflame gc' removes them" : "");
    doctor_say(doctor, "live tables", true, how);
}

/* What stands around the process that reads for a command (os/process/rights.h), and what this
 * kernel lacks. */
static void look_at_reading(struct doctor *doctor)
{
    unsigned walls = 0;
    struct hf_error err;
    struct hf_out lacks = {0};
    enum hf_status status = hf_sandbox_walls(&walls, &err);
    for (unsigned wall = 1; wall < HF_WALL_ALL; wall <<= 1) {
        bool is_impossible = wall == HF_WALL_USER && geteuid() != 0;
        if ((walls & wall) == 0 && !is_impossible)
            hf_out_printf(&lacks, "%s%s", lacks.size != 0 ? ", " : "not available here: ",
                hf_right_wall_name((enum hf_right_wall)wall));
    }
    hf_out_char(&lacks, '\0');
    bool is_well = status == HF_OK && lacks.size == 1;
    doctor_say(doctor, "reading", is_well,
        is_well           ? "in a process without rights: a hostile file can do no harm"
        : status == HF_OK ? lacks.data
                          : err.text);
    hf_out_done(&lacks);
}

/* Breakpoints in its code: of a tool that watches it, or left by one. */
static void look_at_breakpoints(
    struct doctor *doctor, uint32_t pid, struct hf_keeper *keeper, bool mends)
{
    struct hf_mending mending;
    struct hf_error err;
    char how[HF_ERROR_TEXT_MAX];
    enum hf_status status = hf_mending_do(pid, keeper, mends, &mending, &err);
    size_t removed = mending.found - mending.left;
    if (status != HF_OK)
        (void)snprintf(how, sizeof how, "%s", err.text);
    else if (mending.left == 0)
        (void)snprintf(how, sizeof how, "%s%.0zu%s", removed != 0 ? "removed " : "none left behind",
            removed, removed != 0 ? " that a killed tool had left behind" : "");
    else if (mends)
        (void)snprintf(how, sizeof how,
            "%zu removed; %zu kept, which belong to a tool that watches the process (first: %s)",
            removed, mending.left, mending.first);
    else
        (void)snprintf(how, sizeof how,
            "%zu, from a tool that watches the process or was killed (first: %s); 'heapflame "
            "doctor --mend %" PRIu32 "' removes those that no tool uses",
            mending.left, mending.first, pid);
    doctor_say(doctor, "breakpoints", status == HF_OK && mending.left == 0, how);
}

/* Who allocates in a process, how often, and what following that costs. */
static void look_at_process(struct doctor *doctor, uint32_t pid, struct hf_keeper *keeper)
{
    struct hf_session session;
    struct hf_session_options options = {.pid = pid,
        .keeper = keeper,
        .is_any_spec = true,
        .most_per_mille = UINT64_MAX,
        .period_bytes = 1};
    struct hf_error err;
    char what[32], calls[HF_UNITS_MAX], how[HF_ERROR_TEXT_MAX], speeds[3][HF_COST_SPEED_MAX];
    (void)snprintf(what, sizeof what, "process %" PRIu32, pid);
    for (size_t i = 0; hf_spec_malloc_presets[i] != NULL; i++) {
        struct hf_session_spec *spec = &options.specs[options.spec_count++];
        spec->name = hf_spec_malloc_presets[i];
        if (!hf_spec_preset(hf_text_of(spec->name), &spec->text))
            options.spec_count--;
    }
    enum hf_status status = hf_session_open(&session, &options, &err);
    if (status == HF_OK)
        status = hf_session_count(&session, &err);
    if (status == HF_OK && !session.is_counted)
        (void)snprintf(how, sizeof how, "malloc of %s; its calls cannot be counted here",
            session.probes.items[0].file);
    else if (status == HF_OK) {
        (void)snprintf(how, sizeof how,
            "malloc of %s: %s calls a second; attached with bpf, it would run at %s; with bpf and "
            "sampling, at %s; with perf, at %s",
            session.probes.items[0].file, hf_units_grouped(hf_cost_calls(&session.cost), calls),
            hf_cost_speed(hf_cost_added(&session.cost, &hf_backend_bpf.exact, 1000), speeds[0]),
            hf_cost_speed(hf_cost_added(&session.cost, &hf_backend_bpf.sampled, 1000), speeds[1]),
            hf_cost_speed(hf_cost_added(&session.cost, &hf_backend_perf.exact, 1000), speeds[2]));
        for (size_t i = 0; i < session.notes.count; i++)
            hf_out_printf(doctor->out, "                    %s\n", session.notes.items[i].text);
    }
    doctor_say(doctor, what, status == HF_OK, status == HF_OK ? how : err.text);
    doctor->can_process = status == HF_OK;
    hf_session_close(&session);
}

/* Of snapshots (memory/snapshot.h). Here and not in the worker: it needs the right to read the
 * process's memory. */
static void look_at_copies(struct doctor *doctor, uint32_t pid)
{
    char how[192], copies[64] = "";
    struct hf_leftovers left = hf_leftovers_of((pid_t)pid);
    bool is_well = left.zombie_count == 0 && !left.has_code;
    if (left.zombie_count != 0)
        (void)snprintf(copies, sizeof copies, "%zu %s of the process without memory%s",
            left.zombie_count, hf_plural(left.zombie_count, "copy", "copies"),
            left.has_code ? " and " : "");
    (void)snprintf(how, sizeof how,
        "%s%s, left by a heapflame that was killed: the next 'heapflame heap %" PRIu32
        "' removes %s",
        copies, left.has_code ? "code at its entry, which never runs" : "", pid,
        left.zombie_count + left.has_code == 1 ? "it" : "them");
    doctor_say(doctor, "copies", is_well, is_well ? "none left behind" : how);
}

static void look_at_machine(struct doctor *doctor)
{
    look_at_rights(doctor);
    look_at_perf(doctor);
    look_at_bpf(doctor);
    look_at_tables(doctor);
    look_at_reading(doctor);
}

static void doctor_conclude(struct doctor *doctor)
{
    hf_out_printf(doctor->out, "attach         %-4s %s\n",
        (doctor->can_bpf || doctor->can_perf) && doctor->can_process ? "yes" : "no",
        !doctor->can_process
            ? "not to malloc in this process; try --what fault, which needs no functions, "
              "or --what mmap or --spec, which watch others"
        : doctor->can_bpf && doctor->needs_rights
            ? "with bpf and --no-sandbox; without it with perf, if the line perf says yes"
        : doctor->can_bpf  ? "with bpf; also with --backend perf, if the line perf says yes"
        : doctor->can_perf ? "with perf"
                           : "neither bpf nor perf works; the lines above say why and what to do");
}

/* `keeper`: NULL in a worker. */
static enum hf_status doctor_look_at(
    struct doctor *doctor, uint32_t pid, struct hf_keeper *keeper, bool mends, struct hf_error *err)
{
    struct hf_output output;
    enum hf_status status = hf_output_open(&output, NULL, false, err);
    if (status != HF_OK)
        return status;
    doctor->out = &output.out;
    look_at_breakpoints(doctor, pid, keeper, mends); /* before others put probes where they are */
    look_at_process(doctor, pid, keeper);
    doctor_conclude(doctor);
    return hf_output_close(&output, status, err);
}

static void doctor_worker_ended(void *keeper)
{
    hf_keeper_reset(keeper);
}

/* What the process says of itself is read by who has no rights; the keeper counts its calls. */
static enum hf_status doctor_split(struct doctor *doctor, uint32_t pid,
    struct doctor_options *options, char **words, struct hf_error *err)
{
    struct hf_common *common = &options->common;
    struct hf_keeper *keeper = hf_keeper_new(pid);
    if (keeper == NULL)
        return hf_error_memory(err);
    const struct hf_reader_service service = {
        .first = HF_KEEPER_WANT,
        .serve = hf_keeper_serve,
        .worker_ended = doctor_worker_ended,
        .context = keeper,
    };
    enum hf_status status = HF_OK;
    bool is_worker = common->no_sandbox;
    if (!common->no_sandbox)
        status = hf_reader_begin(
            &hf_cmd_doctor, common, words, &service, &is_worker, &common->code, err);
    common->has_code = status == HF_OK && !is_worker;
    if (is_worker)
        status =
            doctor_look_at(doctor, pid, common->no_sandbox ? keeper : NULL, options->mends, err);
    hf_keeper_free(keeper);
    return status;
}

/* In a process of its own: os/process/shielded_worker.h. `pid` 0: of no process. */
static enum hf_status doctor_look(
    uint32_t pid, struct doctor_options *options, char **words, struct hf_error *err)
{
    struct hf_output output;
    struct doctor doctor = {.out = &output.out, .can_process = true};
    enum hf_status status = hf_output_open(&output, NULL, false, err);
    if (status != HF_OK)
        return status;
    look_at_machine(&doctor);
    if (pid == 0)
        doctor_conclude(&doctor);
    else {
        look_at_copies(&doctor, pid);
        hf_session_prepare();
    }
    status = hf_output_close(&output, status, err);
    return status == HF_OK && pid != 0 ? doctor_split(&doctor, pid, options, words, err) : status;
}

static enum hf_status doctor_run(void *all, struct hf_operands *operands, struct hf_error *err)
{
    struct doctor_options *options = all;
    struct hf_common *common = all;
    uint32_t pid = 0;
    bool is_worker;
    if (operands->count > 1 ||
        (operands->count == 1 && !hf_operand_is_pid(operands->items[0], &pid)))
        return hf_error_set(err, HF_ERR_USAGE, "expected one PID, or none");
    if (options->mends && pid == 0)
        return hf_error_set(err, HF_ERR_USAGE, "--mend: expected a PID");
    enum hf_status status = hf_shielded_worker_begin(&is_worker, &common->code, err);
    if (is_worker)
        return doctor_look(pid, options, operands->words, err);
    common->has_code = true;
    return status;
}

const struct hf_command hf_cmd_doctor = {
    .name = "doctor",
    .summary =
        "Report whether attach works on this machine, what is missing, and what it would cost.",
    .operands = "[PID]",
    .details =
        "Changes nothing without --mend, except that it removes probes that killed tools left\n"
        "behind.",
    .groups = groups,
    .options_size = sizeof(struct doctor_options),
    .run = doctor_run,
};
