#include "java_objects.h"

#include "base/gate.h"
#include "clock.h"
#include "event.h"
#include "image.h"
#include "java_abi.h"
#include "real.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <time.h>

#define WAIT_NS INT64_C(60000000000) /* for a virtual machine to be made */
#define STEP_NS 500000
#define LOOKS 400        /* at how it keeps its frames, each a step */
#define UPDATE_LEAST 15  /* 17.0.15 was run: it publishes no virtual machine that is half made */
#define TAG_SLOT_BITS 32 /* above them is the incarnation of the table */

_Atomic uint32_t hf_java_objects_state;

/* Of the one virtual machine that a process can have. */
static struct {
    uint64_t image, image_bytes;
} java_machine;

typedef int make_thread(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
typedef int detach_thread(pthread_t);

static bool java_has(const struct hf_java_object *object, const uint8_t *slots, size_t count)
{
    return object != NULL &&
           hf_java_has(object, slots, count, java_machine.image, java_machine.image_bytes);
}

static void java_objects_rest(void)
{
    const struct timespec step = {0, STEP_NS};
    (void)HF_CALL(SYS_nanosleep, &step, NULL);
}

static void java_objects_say(enum hf_live_bound bound)
{
    atomic_fetch_or(&hf_agent.table.state->bounds, bound);
}

static int32_t java_set_tag(struct hf_java_object *env, void *object, int64_t tag)
{
    return ((hf_jvmti_set_tag *)env->functions[HF_JVMTI_SET_TAG])(env, object, tag);
}

/* What HotSpot allocates for the tag is recorded as any other of its memory. */
static void java_sampled(
    struct hf_java_object *env, void *jni, void *thread, void *object, void *class, int64_t bytes)
{
    const struct hf_caller *caller = HF_HOOK_CALLER();
    (void)jni, (void)thread, (void)class;
    uint32_t slot = hf_event_object((size_t)bytes, caller);
    if (slot == HF_LIVE_NONE)
        return;
    int64_t tag = (int64_t)((uint64_t)hf_agent.incarnation << TAG_SLOT_BITS | slot) + 1;
    int32_t failed = java_set_tag(env, object, tag);
    if (failed != 0)
        hf_event_object_end(slot, caller);
}

static void java_freed(struct hf_java_object *env, int64_t tag)
{
    uint64_t number = (uint64_t)tag - 1;
    (void)env;
    if (number >> TAG_SLOT_BITS == hf_agent.incarnation)
        hf_event_object_end((uint32_t)number, HF_HOOK_CALLER());
}

/* Nobody will ever know how it keeps its frames. That `language` is NULL says less: another thread
 * may be looking right now. */
static bool java_is_strange(void)
{
    uint64_t word = atomic_load_explicit(&hf_agent.table.state->interpreter, memory_order_relaxed);
    return (word >> 32 & 0xffff) >= HF_LIVE_INTERPRETER_UNKNOWN;
}

/* Its frames are known, and it is an update that was run. */
static bool java_is_known(void)
{
    const struct hf_interpreter *interpreter = &hf_agent.interpreter;
    int32_t update;
    for (unsigned i = 0; i < LOOKS && !java_is_strange() && !hf_gate_is_shut() &&
                         !atomic_load_explicit(&interpreter->is_laid_out, memory_order_acquire);
         i++) {
        if (hf_event_hold()) {
            hf_record_look_again();
            hf_event_let_go();
        }
        java_objects_rest();
    }
    if (!atomic_load_explicit(&interpreter->is_laid_out, memory_order_acquire))
        return false;
    if (hf_java_i32(&hf_interpreter_by_copy, interpreter->java.update, 0, &update) &&
        update >= UPDATE_LEAST)
        return true;
    java_objects_say(HF_LIVE_BOUND_OBJECTS_OLD);
    return false;
}

/* The heap's mappings are no program's any more. What is mapped in it later will not be, either. */
static void java_take_heap(void)
{
    struct hf_live_mapped heap = {.stack = HF_LIVE_BY_ALLOCATOR, .thread = HF_LIVE_NONE};
    heap.birth = hf_clock_now(CLOCK_MONOTONIC);
    if (!hf_java_find_objects(
            &hf_agent.interpreter.java, &hf_interpreter_by_copy, &heap.start, &heap.end))
        return;
    atomic_store_explicit(&hf_agent.objects_start, heap.start, memory_order_relaxed);
    atomic_store_explicit(&hf_agent.objects_end, heap.end, memory_order_release);
    if (hf_event_hold()) {
        hf_mappings_add(&hf_agent.mappings, &hf_agent.table, &heap);
        hf_event_let_go();
    }
}

/* Asks for the events; 0, or what the virtual machine said. */
static int32_t java_ask(struct hf_java_object *env)
{
    static const struct hf_jvmti_capabilities wanted = {
        {HF_JVMTI_CAN_TAG | HF_JVMTI_CAN_TELL_FREED | HF_JVMTI_CAN_SAMPLE, 0}};
    static const int32_t events[] = {HF_JVMTI_OBJECT_FREED, HF_JVMTI_OBJECT_SAMPLED};
    struct hf_jvmti_callbacks callbacks = {0};
    callbacks.functions[HF_JVMTI_OBJECT_FREED - HF_JVMTI_FIRST_EVENT] =
        (hf_java_function *)java_freed;
    callbacks.functions[HF_JVMTI_OBJECT_SAMPLED - HF_JVMTI_FIRST_EVENT] =
        (hf_java_function *)java_sampled;
    int32_t failed =
        ((hf_jvmti_add_capabilities *)env->functions[HF_JVMTI_ADD_CAPABILITIES])(env, &wanted);
    if (failed == 0)
        failed = ((hf_jvmti_set_interval *)env->functions[HF_JVMTI_SET_INTERVAL])(
            env, (int32_t)hf_agent.period_bytes);
    if (failed == 0)
        failed = ((hf_jvmti_set_callbacks *)env->functions[HF_JVMTI_SET_CALLBACKS])(
            env, &callbacks, sizeof callbacks);
    for (size_t i = 0; i < HF_COUNT(events) && failed == 0; i++)
        failed = ((hf_jvmti_set_event_mode *)env->functions[HF_JVMTI_SET_EVENT_MODE])(
            env, true, events[i], NULL);
    return failed;
}

/* The thread is attached. */
static void java_objects_ask(struct hf_java_object *machine)
{
    static const uint8_t slots[] = {HF_JVMTI_SET_EVENT_MODE, HF_JVMTI_SET_TAG,
        HF_JVMTI_SET_CALLBACKS, HF_JVMTI_FREE, HF_JVMTI_GET_PHASE, HF_JVMTI_ADD_CAPABILITIES,
        HF_JVMTI_SET_INTERVAL};
    struct hf_java_object *env = NULL;
    int32_t phase = 0;
    if (((hf_jni_get_env *)machine->functions[HF_JNI_GET_ENV])(machine, &env, HF_JVMTI_VERSION) !=
            0 ||
        !java_has(env, slots, HF_COUNT(slots)))
        return;
    int32_t failed = ((hf_jvmti_get_phase *)env->functions[HF_JVMTI_GET_PHASE])(env, &phase);
    if (failed == 0 && phase == HF_JVMTI_PHASE_LIVE)
        failed = java_ask(env);
    else
        failed = -1; /* it ends already */
    if (failed == 0) {
        java_take_heap();
        return;
    }
    if (failed == HF_JVMTI_NOT_AVAILABLE)
        java_objects_say(HF_LIVE_BOUND_OBJECTS_TAKEN);
    (void)((hf_jvmti_free *)env->functions[HF_JVMTI_FREE])(env);
}

static void java_objects_attach(struct hf_java_object *machine)
{
    static const uint8_t slots[] = {HF_JNI_DETACH, HF_JNI_GET_ENV, HF_JNI_ATTACH_AS_DAEMON};
    struct hf_jni_attach how = {HF_JNI_VERSION, "heapflame", NULL};
    void *jni = NULL;
    if (!java_has(machine, slots, HF_COUNT(slots)) ||
        ((hf_jni_attach *)machine->functions[HF_JNI_ATTACH_AS_DAEMON])(machine, &jni, &how) != 0)
        return;
    java_objects_ask(machine);
    (void)((hf_jni_detach *)machine->functions[HF_JNI_DETACH])(machine);
}

/* The one virtual machine, when it is made; NULL: it was not. */
static struct hf_java_object *java_wait(hf_jni_get_created *get_created)
{
    uint64_t end = hf_clock_now(CLOCK_MONOTONIC) + (uint64_t)WAIT_NS;
    while (!hf_gate_is_shut() && hf_clock_now(CLOCK_MONOTONIC) < end) {
        struct hf_java_object *machine = NULL;
        int32_t count = 0;
        if (get_created(&machine, 1, &count) == 0 && count == 1)
            return machine;
        java_objects_rest();
    }
    return NULL;
}

static void *java_objects_thread(void *get_created)
{
    struct hf_java_object *machine = java_wait((hf_jni_get_created *)(uintptr_t)get_created);
    if (machine != NULL && java_is_known())
        java_objects_attach(machine);
    return NULL;
}

/* No signal of the program's is for it; those that HotSpot provokes and handles are. */
static bool java_make_thread(uint64_t get_created)
{
    make_thread *make = (make_thread *)hf_real_next("pthread_create");
    detach_thread *detach = (detach_thread *)hf_real_next("pthread_detach");
    const uint64_t faults = UINT64_C(1) << (SIGSEGV - 1) | UINT64_C(1) << (SIGBUS - 1) |
                            UINT64_C(1) << (SIGFPE - 1) | UINT64_C(1) << (SIGILL - 1) |
                            UINT64_C(1) << (SIGTRAP - 1);
    uint64_t mask = ~faults, before;
    pthread_t thread;
    if (make == NULL || detach == NULL ||
        HF_CALL(SYS_rt_sigprocmask, SIG_SETMASK, &mask, &before, sizeof mask) != 0)
        return false;
    bool is_made = make(&thread, NULL, java_objects_thread, (void *)(uintptr_t)get_created) == 0;
    if (is_made)
        (void)detach(thread);
    (void)HF_CALL(SYS_rt_sigprocmask, SIG_SETMASK, &before, NULL, sizeof before);
    return is_made;
}

void hf_java_objects_begin(const struct hf_caller *caller)
{
    int error = errno;
    uint64_t image = hf_agent.interpreter.start, bytes = hf_image_bytes(image);
    uint32_t state = HF_JAVA_OBJECTS_NOT;
    if (caller->pc - image < bytes && hf_agent.period_bytes <= INT32_MAX && !hf_gate_is_shut() &&
        atomic_compare_exchange_strong(&hf_java_objects_state, &state, HF_JAVA_OBJECTS_WAITING)) {
        uint64_t get_created = hf_image_find_symbol(image, "JNI_GetCreatedJavaVMs", NULL);
        java_machine.image = image;
        java_machine.image_bytes = bytes;
        if (get_created != 0)
            (void)java_make_thread(get_created);
    }
    errno = error;
}
