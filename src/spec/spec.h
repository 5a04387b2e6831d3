/*
 * spec.h: a probe spec: what is called in a process to allocate and to free, and where in such a
 * call each value is.
 *
 *     file     = { spec }
 *     spec     = "spec" NAME { line }
 *     line     = "object" { OBJECT }
 *              | "detect" { TEST }
 *              | "prefix" "sym:" GLOB
 *              | "label" "ctx.name"
 *              | "skip" "classes" "reset-or-deleted"
 *              | "chunk" NUMBER
 *              | [ "optional" ] ROLE LOCATOR { KEY "=" VALUE } [ "ok=" VALUE RELATION VALUE ]
 *     OBJECT   = "exe" | "lib:" GLOB | "auto" | "kernel"
 *     TEST     = "sym:" NAME | "string:" '"' text '"'
 *     ROLE     = "alloc" | "free" | "realloc" | "reset" | "delete" | "ctxnew" | "map" | "unmap"
 *     LOCATOR  = "sym:" GLOB | "table[" NUMBER "]" | "off:" NUMBER "@" BUILD-ID
 *              | "syscall:" NAME
 *     KEY      = "ctx" | "ptr" | "size" | "name" | "new"
 *     RELATION = "==" | "!=" | "<" | ">="
 *     VALUE    = product { ( "+" | "-" ) product }
 *     product  = unary { "*" unary }
 *     unary    = "*" unary | "(" VALUE ")" | [ "-" ] NUMBER
 *              | "arg0" | ... | "arg5" | "ret" | "ret32"
 *
 * The specs of a file are alternatives: the first that fits a process is used. Its functions are in
 * its objects: the program, libraries by the names of their files, the owner of malloc, the kernel
 * (for every process: its system calls, by the names of system_call.h). It fits if
 * one of them has all of a `detect` line, and a symbol that `prefix` matches; "%" in the names
 * below is what the "*" of that stands for. `label`: contexts are the outermost frames.
 * `chunk`: each block has a head of so many bytes and room for the next power of two.
 *
 * Words are apart by blanks, "#" and what follows it is a comment, a line ends with its newline. A
 * GLOB may hold "*" and "?". `optional`: nothing is said if there is no such function. `*V` is
 * the word of 8 bytes at V. `ret` is what the function returned, `ret32` its lower half with its
 * sign, as a function has it that returns int. `ptr` is what comes in (of free, realloc and unmap),
 * `new` what goes out; `ok` says that the call succeeded. These two are read when the function has
 * returned, from the arguments that it had; all others at its entry, so they cannot hold `ret`. A
 * `map` of a size below 0 gives back as much before its `new`: sbrk(2).
 *
 * Arithmetic is modulo 2^64, comparisons are unsigned. Source of the registers: System V ABI for
 * x86-64, section 3.2.3.
 *
 * Example:
 *
 *     struct hf_specs specs;
 *     status = hf_specs_parse(&specs,
 *         HF_TEXT("spec mine\nobject exe\ndetect sym:my_alloc\n"
 *                 "alloc sym:my_alloc size=arg0 new=ret\nfree sym:my_free ptr=arg0\n"),
 *         "mine.spec", err);
 *     if (status == HF_OK)
 *         hf_out_u64(out, specs.items[0].entry_count);
 *     hf_specs_done(&specs);
 */
#ifndef HF_SPEC_SPEC_H
#define HF_SPEC_SPEC_H

#include "base/containers/arena.h"
#include "base/error.h"
#include "base/limits.h"
#include "base/text.h"
#include "spec/registers.h"
#include "spec/role.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A value as what is done for it in order, on a stack. */
enum hf_spec_step_kind {
    HF_SPEC_ARGUMENT, /* pushes argument `number` as it was at the entry */
    HF_SPEC_RESULT,   /* pushes what the function returned */
    HF_SPEC_RESULT32, /* the same, the lower half with its sign */
    HF_SPEC_CONSTANT, /* pushes `number` */
    HF_SPEC_LOAD,     /* replaces the top by the word at its address */
    HF_SPEC_ADD,      /* replaces the two on top by their sum, ... */
    HF_SPEC_SUBTRACT,
    HF_SPEC_MULTIPLY,
};

struct hf_spec_step {
    enum hf_spec_step_kind kind;
    uint64_t number;
};

#define HF_SPEC_STEPS_MAX 12
#define HF_SPEC_ARGUMENTS 6u

struct hf_spec_value {
    uint32_t count; /* of steps; 0: the spec does not say it */
    struct hf_spec_step steps[HF_SPEC_STEPS_MAX];
};

enum hf_spec_locator_kind {
    HF_SPEC_SYMBOL,      /* `symbol`, with "%" for the prefix */
    HF_SPEC_TABLE,       /* `number`: slot of the tables of methods of contexts */
    HF_SPEC_OFFSET,      /* `number`: offset in the file of `build_id` */
    HF_SPEC_SYSTEM_CALL, /* `number`: as in system_call.h */
};

struct hf_spec_locator {
    enum hf_spec_locator_kind kind;
    struct hf_text symbol, build_id; /* the latter as hexadecimal digits */
    uint64_t number;
};

enum hf_spec_key {
    HF_SPEC_CONTEXT,
    HF_SPEC_POINTER,
    HF_SPEC_SIZE,
    HF_SPEC_NAME, /* address of the name of a new context */
    HF_SPEC_NEW,
    HF_SPEC_KEYS
};

enum hf_spec_relation { HF_SPEC_EQUAL, HF_SPEC_DIFFERENT, HF_SPEC_BELOW, HF_SPEC_AT_LEAST };

struct hf_spec_entry {
    enum hf_role role;
    struct hf_spec_locator locator;
    struct hf_spec_value values[HF_SPEC_KEYS];
    struct hf_spec_value ok[2]; /* not given: it always succeeds */
    enum hf_spec_relation relation;
    bool is_optional;
    bool is_in_context; /* its spec labels contexts: each of its blocks is in one */
    uint32_t line;      /* in its file */
};

enum hf_spec_object_kind { HF_SPEC_EXE, HF_SPEC_LIBRARY, HF_SPEC_AUTO, HF_SPEC_KERNEL };

struct hf_spec_object {
    enum hf_spec_object_kind kind;
    struct hf_text glob; /* of the file's name without its folder */
};

struct hf_spec_test {
    bool is_string; /* else a symbol */
    struct hf_text text;
    uint32_t line; /* tests of one line belong together */
};

/* Texts and arrays live as long as the hf_specs. */
struct hf_spec {
    struct hf_text name;
    struct hf_spec_object *objects;
    size_t object_count;
    struct hf_spec_test *tests;
    size_t test_count;
    struct hf_text prefix; /* glob of a symbol; empty: none */
    struct hf_spec_entry *entries;
    size_t entry_count;
    bool labels_contexts, skips_short_lived;
    uint32_t chunk_head_bytes; /* live/chunk.h; 0: blocks are as they are asked for */
};

struct hf_specs {
    struct hf_spec *items;
    size_t count;
    struct hf_arena arena;
};

/* Of a file: enough to see that it is longer than HF_LIMIT_SPEC_BYTES. */
#define HF_SPEC_PEEK_BYTES (HF_LIMIT_SPEC_BYTES + 1)

/*
 * Reads a file. `name` is for messages. HF_ERR_INPUT with the line, the column and what was
 * expected there; HF_ERR_LIMIT: it is longer than HF_LIMIT_SPEC_BYTES. Call done in either case.
 */
HF_MUST_CHECK enum hf_status hf_specs_parse(
    struct hf_specs *specs, struct hf_text text, const char *name, struct hf_error *err);
void hf_specs_done(struct hf_specs *specs);

/* The word of a role in the language: "alloc". */
const char *hf_role_name(enum hf_role role);

/* The arguments a call is read for, when it is entered or when it returned: bit N is argument N. */
unsigned hf_spec_entry_arguments(const struct hf_spec_entry *entry);

/* True if the return of the call has to be seen: something is in its result, or takes effect then.
 */
bool hf_spec_entry_returns(const struct hf_spec_entry *entry);

/* True if both say the same of a call: role, values and success. */
bool hf_spec_entries_agree(const struct hf_spec_entry *a, const struct hf_spec_entry *b);

/* What a value is made of. */
struct hf_spec_call {
    uint64_t arguments[HF_SPEC_ARGUMENTS];
    uint64_t result;
    /* The word at an address of the process; false: it cannot be read. May be NULL. */
    bool (*load)(void *context, uint64_t address, uint64_t *out_word);
    void *context;
};

/* The arguments of a call whose first instruction is the next; no result, no load. */
struct hf_spec_call hf_spec_call_of(const struct hf_registers *registers);

/* False if the value is not given, or needs memory that cannot be read. */
HF_MUST_CHECK bool hf_spec_evaluate(
    const struct hf_spec_value *value, const struct hf_spec_call *call, uint64_t *out_value);

/* True if the call succeeded, as far as the spec says how one knows. */
bool hf_spec_succeeded(const struct hf_spec_entry *entry, const struct hf_spec_call *call);

#endif
