/*
 * interpreter.h: frames of a Python interpreter in the stacks that are recorded.
 *
 * The interpreter is found by what an image of the process exports: _PyRuntime, Py_Version and two
 * types. It is looked for in the program and in libraries called libpython* (modules.h), when the
 * map has other ones. docs/adr/0008 says how frames are read, and why so.
 *
 * *Never a fault.* All is copied by a system call that fails where there is nothing. Read as it is,
 * which is a hundred times faster, is the chain of a thread that holds the interpreter's lock, and
 * that no signal interrupted: its frames and what they are made of can be freed by nobody else, and
 * they are linked when they are whole. That begins when HF_INTERPRETER_PROOFS chains were copied
 * and were sound; a process in which the first HF_INTERPRETER_TRIES are broken has no Python
 * frames.
 *
 * Any thread. What is looked for and what is stored: under the lock of who adds stacks (record.c).
 */
#ifndef HF_AGENT_INTERPRETER_H
#define HF_AGENT_INTERPRETER_H

#include "modules.h"
#include "stacks.h"
#include "unwind/python/chain.h"

#define HF_INTERPRETER_PROOFS 16
#define HF_INTERPRETER_TRIES 64

/* All-zero: there is none. */
struct hf_interpreter {
    const struct hf_python_layout
        *_Atomic layout; /* NULL: there is none, or its frames are not read */
    struct hf_python python;
    uint64_t runtime;      /* address of _PyRuntime */
    uint64_t start;        /* of its image */
    bool is_fixed;         /* it cannot be unloaded */
    _Atomic uint32_t seen; /* hf_modules_hosts_version, when it was looked for last */
    _Atomic uint32_t proofs,
        failures;           /* chains that were sound; broken ones before the first such */
    struct hf_stacks texts; /* by hash: codes (depth 1) and files (depth 2) in the table's text */
};

/* True if hf_interpreter_look should be called: the map has changed. */
static inline bool hf_interpreter_is_due(
    const struct hf_interpreter *interpreter, const struct hf_modules *modules)
{
    return atomic_load_explicit(&interpreter->seen, memory_order_relaxed) !=
           hf_modules_hosts_version(modules);
}

static inline bool hf_interpreter_is_there(const struct hf_interpreter *interpreter)
{
    return atomic_load_explicit(&interpreter->layout, memory_order_acquire) != NULL;
}

/* Looks for an interpreter, and says in the table's state what it is. With the lock. */
void hf_interpreter_look(struct hf_interpreter *interpreter, struct hf_modules *modules);

/*
 * The Python frames of the calling thread, whose walk found these native ones; false if it has
 * none. *chain is mapped when it is first needed, and then the thread's.
 */
HF_MUST_CHECK bool hf_interpreter_read(struct hf_interpreter *interpreter,
    struct hf_live_table *table, const struct hf_unwind_frame *leaf,
    struct hf_python_chain **chain);

/* The frame of the table for one of a chain that was just read; 0: there is no room. With the lock.
 */
uint64_t hf_interpreter_frame(struct hf_interpreter *interpreter, struct hf_live_table *table,
    const struct hf_python_chain *chain, uint32_t number);

/* As all-zero, memory given back: a child after fork. */
void hf_interpreter_forget(struct hf_interpreter *interpreter);

#endif
