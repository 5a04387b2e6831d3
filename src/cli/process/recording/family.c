#include "cli/process/recording/family.h"

#include "base/containers/vec.h"
#include "base/plural.h"
#include "base/strings/json.h"
#include "base/strings/units.h"
#include "cli/command.h"
#include "cli/say.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* With the two lines around them these fit on half of a small terminal. */
#define SHOWN_MEMBERS 12
#define NS_PER_MS UINT64_C(1000000)

static void family_free_texts(const struct hf_family_member *member)
{
    const char *texts[] = {member->command, member->program, member->file, member->heaviest};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        free((void *)(uintptr_t)texts[i]); /* strdup's */
}

void hf_family_add(struct hf_family *family, const struct hf_family_member *member)
{
    struct hf_family_member own = *member;
    own.command = strdup(member->command);
    own.program = strdup(member->program);
    own.file = strdup(member->file);
    own.heaviest = strdup(member->heaviest);
    if (own.command == NULL || own.program == NULL || own.file == NULL || own.heaviest == NULL ||
        !hf_vec_reserve(&family->members, &family->capacity, family->count + 1, sizeof own)) {
        family_free_texts(&own);
        family->forgotten++;
        return;
    }
    family->members[family->count++] = own;
}

static uint64_t family_most(const struct hf_family_member *member)
{
    if (member->has_only_mappings)
        return member->resident_bytes;
    return member->peak_bytes > member->in_use_bytes ? member->peak_bytes : member->in_use_bytes;
}

static int family_compare(const void *a, const void *b)
{
    const struct hf_family_member *one = a, *other = b;
    if ((one->file[0] == '\0') != (other->file[0] == '\0'))
        return one->file[0] == '\0' ? 1 : -1;
    if (family_most(one) != family_most(other))
        return family_most(one) > family_most(other) ? -1 : 1;
    if (one->in_use_bytes != other->in_use_bytes)
        return one->in_use_bytes > other->in_use_bytes ? -1 : 1;
    if (one->started_ns != other->started_ns)
        return one->started_ns < other->started_ns ? -1 : 1;
    return one->pid < other->pid ? -1 : one->pid > other->pid;
}

void hf_family_sort(struct hf_family *family)
{
    if (family->count != 0)
        qsort(family->members, family->count, sizeof *family->members, family_compare);
}

static uint64_t family_bytes(const struct hf_family *family)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < family->count; i++)
        sum += family->members[i].in_use_bytes;
    return sum;
}

/* Those of which anything was recorded; the others stand at the end. */
static size_t family_holders(const struct hf_family *family)
{
    size_t holders = family->count;
    while (holders > 0 && family->members[holders - 1].file[0] == '\0')
        holders--;
    return holders;
}

static void family_put_text(struct hf_out *out, const char *name, const char *text)
{
    if (text[0] != '\0')
        hf_json_member(out, ", ", name, hf_text_of(text));
    else
        hf_out_printf(out, ", \"%s\": null", name);
}

static void family_put_member(struct hf_out *out, const struct hf_family_member *member)
{
    hf_out_printf(out, "{\"pid\": %" PRIu32, member->pid);
    if (member->parent != 0)
        hf_out_printf(out, ", \"parent\": %" PRIu32, member->parent);
    else
        hf_out_string(out, ", \"parent\": null");
    hf_json_member(out, ", ", "command", hf_text_of(member->command));
    uint64_t ms = member->started_ns / NS_PER_MS;
    hf_out_printf(out, ", \"started\": %" PRIu64 ".%03" PRIu64, ms / 1000, ms % 1000);
    uint64_t peak_bytes = member->has_only_mappings ? 0 : family_most(member);
    hf_out_printf(out, ", \"in_use_bytes\": %" PRIu64 ", \"peak_bytes\": %" PRIu64,
        member->in_use_bytes, peak_bytes);
    hf_out_printf(out, ", \"allocated_bytes\": %" PRIu64 ", \"resident_bytes\": %" PRIu64,
        member->allocated_bytes, member->resident_bytes);
    hf_out_printf(out, ", \"only_mappings\": %s", member->has_only_mappings ? "true" : "false");
    hf_out_printf(out, ", \"replaced\": %s", member->was_replaced ? "true" : "false");
    family_put_text(out, "file", member->file);
    family_put_text(out, "heaviest", member->heaviest);
    hf_out_char(out, '}');
}

static void family_put(struct hf_out *out, const struct hf_family *family)
{
    hf_out_printf(out, "{\"schema\": \"heapflame.run/1\", \"pid\": %" PRIu32, family->leader);
    hf_json_member(out, ", ", "program", hf_text_of(family->program));
    hf_out_printf(out, ", \"in_use_bytes\": %" PRIu64 ", \"forgotten\": %zu", family_bytes(family),
        family->forgotten);
    hf_out_string(out, ", \"processes\": [");
    for (size_t i = 0; i < family->count; i++) {
        hf_out_string(out, i == 0 ? "\n  " : ",\n  ");
        family_put_member(out, &family->members[i]);
    }
    hf_out_string(out, "\n]}\n");
}

enum hf_status hf_family_write(
    const struct hf_family *family, const char *path, struct hf_error *err)
{
    struct hf_output output;
    enum hf_status status = hf_output_open(&output, path, true, err);
    if (status != HF_OK)
        return status;
    family_put(&output.out, family);
    return hf_output_close(&output, HF_OK, err);
}

static void family_say_member(const struct hf_family_member *member)
{
    hf_say("%s %" PRIu32 ": %s%s%s%s", member->program, member->pid,
        member->was_replaced ? "until it became another program " : "",
        member->heaviest[0] != '\0' ? member->heaviest
        : member->has_only_mappings ? "it has its own malloc, which the agent cannot replace"
                                    : "nothing is in use",
        member->file[0] != '\0' ? ": see " : "", member->file);
}

static void family_say_rest(const struct hf_family *family, size_t shown, size_t holders)
{
    char bytes[HF_UNITS_MAX];
    size_t more = holders - shown, nothing = 0, own = 0;
    for (size_t i = 0; i < family->count; i++)
        own += family->members[i].has_only_mappings;
    for (size_t i = holders; i < family->count; i++)
        nothing += !family->members[i].has_only_mappings;
    if (more != 0)
        hf_say("%zu more %s never held more than %s%s", more,
            hf_plural(more, "process", "processes"),
            hf_units_bytes(family_most(&family->members[shown]), bytes),
            hf_plural(more, "", " each"));
    if (nothing != 0)
        hf_say("%zu %s allocated too little to be sampled", nothing,
            hf_plural(nothing, "process", "processes"));
    if (own != 0)
        hf_say("%zu %s, which the agent cannot replace: only mappings are recorded there "
               "(heapflame attach --tree PID follows the calls of a running one)",
            own, hf_plural(own, "process has its own malloc", "processes have their own malloc"));
    if (family->forgotten != 0)
        hf_say("lost: %zu more, because memory ran out", family->forgotten);
}

void hf_family_say(const struct hf_family *family, const char *path)
{
    char bytes[HF_UNITS_MAX];
    size_t holders = family_holders(family);
    size_t shown = holders < SHOWN_MEMBERS ? holders : SHOWN_MEMBERS;
    hf_say("%zu %s recorded, %s in use at %s: see %s", family->count,
        hf_plural(family->count, "process", "processes"),
        hf_units_bytes(family_bytes(family), bytes),
        hf_plural(family->count, "its end", "their ends"), path);
    for (size_t i = 0; i < shown; i++)
        family_say_member(&family->members[i]);
    family_say_rest(family, shown, holders);
}

void hf_family_done(struct hf_family *family)
{
    for (size_t i = 0; i < family->count; i++)
        family_free_texts(&family->members[i]);
    free(family->members);
    *family = (struct hf_family){0};
}
