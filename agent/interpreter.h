/*
 * interpreter.h: frames of an interpreter, of Python, PHP, Perl, Ruby, V8, Java or Lua, in the
 * stacks that are recorded.
 *
 * What all have in common is here: when an interpreter is looked for, whether it is believed, and
 * what becomes of its frames in the table. What differs is a struct hf_interpreter_language
 * (interpreter_python.c, interpreter_java.c, ...): by what an image of the process exports is it
 * known, does the thread run it, and where are its frames (unwind/python/, unwind/java/, ...). It
 * is looked for in the program and in the libraries that modules.h names, when the map has other
 * ones. Of several, the first in the order of interpreter.c counts.
 * docs/adr/0008 says how frames are read, and why so.
 *
 * *Never a fault.* All is copied by a system call that fails where there is nothing. Read as it is,
 * which is a hundred times faster, is the chain of a thread that holds the interpreter, and that no
 * signal interrupted: its frames and what they are made of can be freed by nobody else, and they
 * are linked when they are whole. Where the thread may be freeing a frame that is still linked, the
 * language says so, and all is copied. That begins when HF_INTERPRETER_PROOFS chains were copied
 * and were sound; a process in which the first HF_INTERPRETER_TRIES are broken has no such frames.
 *
 * Any thread. What is looked for and what is stored: under the lock of who adds stacks (record.c).
 */
#ifndef HF_AGENT_INTERPRETER_H
#define HF_AGENT_INTERPRETER_H

#include "image.h"
#include "live/interpreted.h"
#include "modules.h"
#include "stacks.h"
#include "unwind/java/vm_structs.h"
#include "unwind/lua/call_infos.h"
#include "unwind/perl/context_chain.h"
#include "unwind/php/call_chain.h"
#include "unwind/python/chain.h"
#include "unwind/ruby/control_frames.h"
#include "unwind/v8/frames.h"

#define HF_INTERPRETER_PROOFS 16
#define HF_INTERPRETER_TRIES 64
#define HF_INTERPRETER_TEXT_BYTES 1024 /* of a name or path, at most */

/* All-zero: there is none. */
struct hf_interpreter {
    const struct hf_interpreter_language
        *_Atomic language;   /* NULL: there is none, or its frames are not read */
    struct hf_python python; /* which of these there is, the language says */
    struct hf_php php;
    struct hf_perl perl;
    struct hf_ruby ruby;
    struct hf_v8 v8;
    struct hf_java java;
    struct hf_lua lua;
    struct hf_image image; /* that Lua is in */
    uint64_t image_bytes;
    struct hf_image_variable context; /* Ruby's, of the thread: ruby_current_ec */
    uint64_t runtime;                 /* address of _PyRuntime */
    uint32_t version;                 /* as the table's state has it; 0: not known */
    uint64_t start;                   /* of its image */
    bool is_fixed;                    /* it cannot be unloaded */
    _Atomic uint32_t seen;            /* hf_modules_hosts_version, when it was looked for last */
    _Atomic bool is_asked;            /* its language wants to be taken once more */
    _Atomic bool is_laid_out;         /* Java's `java` is all there */
    uint32_t asked;                   /* how often it was taken without having all it needs */
    _Atomic uint32_t proofs,
        failures;           /* chains that were sound; broken ones before the first such */
    struct hf_stacks texts; /* by hash: codes (depth 1) and files (2) in the table's text; lines
                               (3); codes by the function (4) */
};

/* What is known of the interpreter on a thread. */
struct hf_interpreter_thread {
    bool holds;       /* nobody else frees its frames */
    bool is_changing; /* it may be freeing or moving them itself: they need not be sound */
    uint64_t stack_end;
    uint64_t state;            /* the address, Perl: of its interpreter, Ruby: of its context */
    struct hf_lua_moved moved; /* by the reallocation that is recorded */
    uint8_t head[HF_PYTHON_THREAD_BYTES]; /* Python: the start of its state */
};

/* Of what is recorded: where the thread's stack ends, and what realloc has moved. */
struct hf_interpreter_event {
    uint64_t stack_end;
    struct hf_lua_moved moved;
};

/* What a language's own file does. */
struct hf_interpreter_language {
    enum hf_live_language number;
    bool replaces; /* its frames take the place of the native ones that run them */
    /* NULL, or: its functions have the names of who calls them, and this is one. A frame's `lines`
     * is a hash of the function then, which has the first such name from there on. */
    bool (*is_name)(const char *name, size_t size);
    /* What the image that is mapped at `start` has of it, by what it exports; 0: it is not there.
     * With its version and all that `find` and `read` need, if it can be read. */
    enum hf_live_interpreter (*take)(struct hf_interpreter *interpreter, uint64_t start);
    /* False if the calling thread, whose native frames these are, has no interpreter. */
    bool (*find)(struct hf_interpreter *interpreter, const struct hf_unwind_frame *leaf,
        struct hf_interpreter_thread *out_thread);
    void (*read)(const struct hf_interpreter *interpreter,
        const struct hf_interpreted_memory *memory, const struct hf_interpreter_thread *thread,
        const struct hf_unwind_frame *leaf, struct hf_interpreted_chain *chain);
    /* Write what a frame's function and file are called; return the bytes, 0: it is not there. */
    size_t (*write_name)(const struct hf_interpreter *interpreter,
        const struct hf_interpreted_memory *memory, const struct hf_interpreted_frame *frame,
        char out[HF_INTERPRETER_TEXT_BYTES]);
    size_t (*write_file)(const struct hf_interpreter *interpreter,
        const struct hf_interpreted_memory *memory, const struct hf_interpreted_frame *frame,
        char out[HF_INTERPRETER_TEXT_BYTES]);
    /* 0: it has none. */
    uint32_t (*line)(struct hf_interpreter *interpreter, const struct hf_interpreted_memory *memory,
        const struct hf_interpreted_frame *frame);
};

extern const struct hf_interpreter_language hf_interpreter_python, hf_interpreter_php,
    hf_interpreter_perl, hf_interpreter_ruby, hf_interpreter_v8, hf_interpreter_java,
    hf_interpreter_lua;

/* The process's memory: by a system call, or as it is. */
extern const struct hf_interpreted_memory hf_interpreter_by_copy, hf_interpreter_as_it_is;

/* True if chains may be read as they are. */
static inline bool hf_interpreter_is_proved(const struct hf_interpreter *interpreter)
{
    return atomic_load_explicit(&interpreter->proofs, memory_order_relaxed) >=
           HF_INTERPRETER_PROOFS;
}

/* True if hf_interpreter_look should be called: the map has changed. */
static inline bool hf_interpreter_is_due(
    const struct hf_interpreter *interpreter, const struct hf_modules *modules)
{
    return atomic_load_explicit(&interpreter->seen, memory_order_relaxed) !=
               hf_modules_hosts_version(modules) ||
           atomic_load_explicit(&interpreter->is_asked, memory_order_relaxed);
}

static inline bool hf_interpreter_is_there(const struct hf_interpreter *interpreter)
{
    return atomic_load_explicit(&interpreter->language, memory_order_acquire) != NULL;
}

static inline bool hf_interpreter_replaces(const struct hf_interpreter *interpreter)
{
    const struct hf_interpreter_language *language =
        atomic_load_explicit(&interpreter->language, memory_order_acquire);
    return language != NULL && language->replaces;
}

/* Looks for an interpreter, and says in the table's state what it is. With the lock. */
void hf_interpreter_look(struct hf_interpreter *interpreter, struct hf_modules *modules);

/*
 * The frames of the interpreter on the calling thread, whose walk found these native ones at
 * that event; false if it has none. *chain is mapped when it is first needed, and then
 * the thread's.
 */
HF_MUST_CHECK bool hf_interpreter_read(struct hf_interpreter *interpreter,
    struct hf_live_table *table, const struct hf_unwind_frame *leaf,
    const struct hf_interpreter_event *event, struct hf_interpreted_chain **chain);

/* The frame of the table for one of a chain that was just read; 0: there is no room. With the lock.
 */
uint64_t hf_interpreter_frame(struct hf_interpreter *interpreter, struct hf_live_table *table,
    const struct hf_interpreted_chain *chain, uint32_t number);

/* As all-zero, memory given back: a child after fork. */
void hf_interpreter_forget(struct hf_interpreter *interpreter);

#endif
