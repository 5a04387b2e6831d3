#include "profile/notes.h"

#include "base/budget.h"
#include "base/containers/vec.h"
#include "base/credentials.h"
#include "base/limits.h"
#include "base/plural.h"
#include "base/strings/regex.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NOTE_TEXT_MAX 1024
#define ADD_STEPS 6000 /* to format one, and to compare it with all */

void hf_notes_done(struct hf_notes *notes)
{
    for (size_t i = 0; i < notes->count; i++)
        free(notes->items[i].text);
    free(notes->items);
    *notes = (struct hf_notes){0};
}

static void notes_add(
    struct hf_notes *notes, enum hf_note_kind kind, const char *text, uint64_t times)
{
    (void)hf_budget_step(ADD_STEPS);
    notes->has_loss = notes->has_loss || kind == HF_NOTE_LOSS;
    for (size_t i = 0; i < notes->count; i++) {
        if (notes->items[i].kind == kind && strcmp(notes->items[i].text, text) == 0) {
            notes->items[i].times += times;
            return;
        }
    }
    char *copy = NULL;
    if (notes->count < HF_LIMIT_NOTES &&
        hf_vec_reserve(&notes->items, &notes->capacity, notes->count + 1, sizeof *notes->items))
        copy = strdup(text);
    if (copy == NULL) {
        notes->dropped += times;
        return;
    }
    notes->items[notes->count++] = (struct hf_note){kind, times, copy};
}

void hf_notes_add(struct hf_notes *notes, enum hf_note_kind kind, const char *format, ...)
{
    char text[NOTE_TEXT_MAX];
    va_list args;
    va_start(args, format);
    int size = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    hf_credentials_hide(text, size < 0 || (size_t)size >= sizeof text);
    notes_add(notes, kind, text, 1);
}

void hf_notes_given_up(struct hf_notes *notes, const char *option, const struct hf_regex *regex)
{
    uint64_t count = regex != NULL ? hf_regex_given_up(regex) : 0;
    if (count != 0)
        hf_notes_add(notes, HF_NOTE_INFO,
            "%s: gave up matching %" PRIu64 " %s: that takes too many steps "
            "(HF_LIMIT_REGEX_MATCH) or too much memory (HF_LIMIT_REGEX_HEAP_KIB); no match is "
            "assumed",
            option, count, hf_plural(count, "name", "names"));
}

void hf_notes_merge(struct hf_notes *into, const struct hf_notes *from)
{
    for (size_t i = 0; i < from->count; i++)
        notes_add(into, from->items[i].kind, from->items[i].text, from->items[i].times);
    into->dropped += from->dropped;
    into->has_loss = into->has_loss || from->has_loss;
}
