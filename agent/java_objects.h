/*
 * java_objects.h: a sample of the objects in the heap of a Java virtual machine.
 *
 * They never pass through malloc. HotSpot itself draws the sample and calls back on the thread that
 * allocates (JVMTI's SampledObjectAlloc, JEP 331), and calls back again when the collector has
 * freed such an object: it carries the number of its slot in the table as its tag. Its stack is
 * that of any block, but begins at the Java method (interpreter.h).
 *
 * *Who asks for it.*  Only a thread that Java knows may. The threads of the program cannot be
 * borrowed: in a hook of malloc or mmap they may be anywhere in the virtual machine, with its locks
 * held. So the agent makes a thread: when HotSpot maps memory and it has none yet, from the hook of
 * mmap, which is called by the program, outside of libc's locks and of signal handlers. It waits
 * until the virtual machine says that it is made, attaches to it as a daemon, asks, detaches, and
 * ends. It is found by dlsym, for the agent imports no pthread_create: a process without
 * libjvm.so never has a thread of the agent's.
 *
 * *What it keeps its hands off.*  It never asks for a collection (one at the end hangs with some
 * collectors). Only one tool may sample objects at a time: if another does, that is said in the
 * table. Versions whose frames are not known, and updates of 17 before 17.0.15, which publish a
 * virtual machine that is half made, are left alone. Nothing is sampled in an exact run, nor under
 * a seccomp filter.
 *
 * *The heap's memory* is the recorded allocator's from then on, as an arena of malloc: the objects
 * stand for it.
 */
#ifndef HF_AGENT_JAVA_OBJECTS_H
#define HF_AGENT_JAVA_OBJECTS_H

#include "agent.h"
#include "record.h"

enum hf_java_objects_state {
    HF_JAVA_OBJECTS_NOT = 0, /* nobody has asked */
    HF_JAVA_OBJECTS_WAITING, /* a thread does, or has */
};

extern HF_HIDDEN _Atomic uint32_t hf_java_objects_state; /* enum hf_java_objects_state */

/* After a mapping: true if it may be HotSpot's, and nobody has asked. */
static inline bool hf_java_objects_are_due(void)
{
    return atomic_load_explicit(&hf_agent.interpreter.language, memory_order_relaxed) ==
               &hf_interpreter_java &&
           !hf_agent.is_exact &&
           atomic_load_explicit(&hf_java_objects_state, memory_order_relaxed) ==
               HF_JAVA_OBJECTS_NOT;
}

/* Then: if that was called by HotSpot, a thread begins to wait for it. The caller is not busy. */
void hf_java_objects_begin(const struct hf_caller *caller);

#endif
