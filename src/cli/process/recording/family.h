/*
 * family.h: what became of each process that `run --follow-fork` recorded: told at the end, in at
 * most a screen for people and in one document for programs.
 *
 * Example:
 *
 *     struct hf_family family = {.leader = 4711, .program = "make"};
 *     struct hf_family_member member = {.pid = 4712, .command = "cc -c a.c", .program = "cc",
 *         .file = "cc.4712.0.hfb", .heaviest = "parse (a.c:7) holds 1.0 MiB of 2.0 MiB in use"};
 *     hf_family_add(&family, &member); // as each of them ends
 *     hf_family_sort(&family);
 *     status = hf_family_write(&family, "make.4711.run.json", err);
 *     hf_family_say(&family, "make.4711.run.json");
 *     hf_family_done(&family);
 *
 * JSON: one document, "heapflame.run/1" (docs/json).
 */
#ifndef HF_CLI_FAMILY_H
#define HF_CLI_FAMILY_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One program in one process: by exec(3) a process becomes another. */
struct hf_family_member {
    uint32_t pid, parent;     /* parent 0: not known */
    uint64_t started_ns;      /* realtime: when its recording began */
    uint64_t in_use_bytes;    /* at its end */
    uint64_t peak_bytes;      /* the most that ever was; 0: not known, or nothing */
    uint64_t allocated_bytes; /* ever */
    uint64_t resident_bytes;  /* the most that was seen; 0: it was not looked at */
    bool was_replaced;        /* the process became a program that nobody recorded */
    bool has_only_mappings;   /* the rest is its own malloc's, which the agent cannot replace */
    /* "": it has none. Borrowed by hf_family_add. */
    const char *command, *program;
    const char *file;     /* its last profile */
    const char *heaviest; /* what holds most of it, in a sentence (answer/heaviest.h) */
};

struct hf_family {
    uint32_t leader; /* the process that was started */
    const char *program;
    /* Its own. */
    struct hf_family_member *members; /* their texts belong to it */
    size_t count, capacity;
    size_t forgotten; /* for which there was no memory */
};

void hf_family_add(struct hf_family *family, const struct hf_family_member *member);

/* Orders the members by the most that each ever held, the largest first. */
void hf_family_sort(struct hf_family *family);

/* The document. HF_ERR_SYSTEM: it cannot be written. */
HF_MUST_CHECK enum hf_status hf_family_write(
    const struct hf_family *family, const char *path, struct hf_error *err);

/* The members as they are ordered, those that held most with a line each. `path`: of the document.
 */
void hf_family_say(const struct hf_family *family, const char *path);

void hf_family_done(struct hf_family *family);

#endif
