#include "cli/process/family.h"

#include "base/containers/vec.h"
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

static int family_compare(const void *a, const void *b)
{
    const struct hf_family_member *one = a, *other = b;
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

static uint64_t family_bytes(const struct hf_family *family, size_t from)
{
    uint64_t sum = 0;
    for (size_t i = from; i < family->count; i++)
        sum += family->members[i].in_use_bytes;
    return sum;
}

/* They stand at the end. */
static size_t family_holders(const struct hf_family *family)
{
    size_t holders = family->count;
    while (holders > 0 && family->members[holders - 1].in_use_bytes == 0)
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
    hf_out_printf(out, ", \"in_use_bytes\": %" PRIu64 ", \"allocated_bytes\": %" PRIu64,
        member->in_use_bytes, member->allocated_bytes);
    hf_out_printf(out, ", \"replaced\": %s", member->was_replaced ? "true" : "false");
    family_put_text(out, "file", member->file);
    family_put_text(out, "heaviest", member->heaviest);
    hf_out_char(out, '}');
}

static void family_put(struct hf_out *out, const struct hf_family *family)
{
    hf_out_printf(out, "{\"schema\": \"heapflame.run/1\", \"pid\": %" PRIu32, family->leader);
    hf_json_member(out, ", ", "program", hf_text_of(family->program));
    hf_out_printf(out, ", \"in_use_bytes\": %" PRIu64 ", \"forgotten\": %zu",
        family_bytes(family, 0), family->forgotten);
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
        member->heaviest[0] != '\0' ? member->heaviest : "its file has no names",
        member->file[0] != '\0' ? ": see " : "", member->file);
}

/* "sh, sort and 2 more": what the line about those that held nothing is for. */
static void family_say_rest(const struct hf_family *family, size_t shown, size_t holders)
{
    char bytes[HF_UNITS_MAX];
    size_t more = holders - shown, nothing = family->count - holders;
    if (more != 0)
        hf_say("%zu more %s %s", more, more == 1 ? "process holds" : "processes hold",
            hf_units_bytes(family_bytes(family, shown), bytes));
    if (nothing != 0)
        hf_say("%zu held nothing at %s", nothing, nothing == 1 ? "its end" : "their ends");
    if (family->forgotten != 0)
        hf_say("lost: %zu more, for want of memory", family->forgotten);
}

void hf_family_say(const struct hf_family *family, const char *path)
{
    char bytes[HF_UNITS_MAX];
    size_t holders = family_holders(family);
    size_t shown = holders < SHOWN_MEMBERS ? holders : SHOWN_MEMBERS;
    hf_say("%zu %s recorded, %s in use at %s: see %s", family->count,
        family->count == 1 ? "process" : "processes",
        hf_units_bytes(family_bytes(family, 0), bytes),
        family->count == 1 ? "its end" : "their ends", path);
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
