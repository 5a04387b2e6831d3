/*
 * java_abi.h: what is called of a Java virtual machine: the invocation part of JNI, and JVMTI.
 *
 * Both are tables of functions, reached by the first word of an object. Numbers of functions, bits
 * and events are those of jni.h and jvmti.h, which are the same in OpenJDK 17 and 25 and may only
 * grow at the end (JNI Specification, "Invocation API"; JVM Tool Interface 11). No header of Java
 * is needed to build the agent.
 *
 * *Checked.*  A function is only called if it lies in the image of the virtual machine: a tool may
 * have put others in their place, and a machine that is not HotSpot may keep them elsewhere.
 */
#ifndef HF_AGENT_JAVA_ABI_H
#define HF_AGENT_JAVA_ABI_H

#include "base/attr.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef void hf_java_function(void);

/* JavaVM and jvmtiEnv. */
struct hf_java_object {
    hf_java_function *const *functions;
};

enum { HF_JNI_VERSION = 0x00010006, HF_JVMTI_VERSION = 0x300b0000 };

/* Of a JavaVM. */
enum { HF_JNI_DETACH = 5, HF_JNI_GET_ENV = 6, HF_JNI_ATTACH_AS_DAEMON = 7 };

/* Of a jvmtiEnv. */
enum {
    HF_JVMTI_SET_EVENT_MODE = 1,
    HF_JVMTI_SET_TAG = 106,
    HF_JVMTI_SET_CALLBACKS = 121,
    HF_JVMTI_FREE = 126,
    HF_JVMTI_GET_PHASE = 132,
    HF_JVMTI_ADD_CAPABILITIES = 141,
    HF_JVMTI_SET_INTERVAL = 155,
};

enum { HF_JVMTI_PHASE_LIVE = 4, HF_JVMTI_NOT_AVAILABLE = 98 };

/* Bits of a jvmtiCapabilities. */
#define HF_JVMTI_CAN_TAG UINT64_C(1)
#define HF_JVMTI_CAN_TELL_FREED (UINT64_C(1) << 32)
#define HF_JVMTI_CAN_SAMPLE (UINT64_C(1) << 43)
struct hf_jvmti_capabilities {
    uint64_t bits[2];
};

/* Events; their callbacks stand in a table from the first, VMInit, on. */
enum { HF_JVMTI_FIRST_EVENT = 50, HF_JVMTI_OBJECT_FREED = 83, HF_JVMTI_OBJECT_SAMPLED = 86 };
struct hf_jvmti_callbacks {
    hf_java_function *functions[HF_JVMTI_OBJECT_SAMPLED + 1 - HF_JVMTI_FIRST_EVENT];
};

struct hf_jni_attach {
    int32_t version;
    const char *name;
    void *group;
};

_Static_assert(sizeof(struct hf_jni_attach) == 24 && sizeof(struct hf_jvmti_capabilities) == 16 &&
                   sizeof(struct hf_jvmti_callbacks) == 37 * 8,
    "as jni.h and jvmti.h of OpenJDK 17");

/* The functions, each 0 if it succeeds. */
typedef int32_t hf_jni_get_created(
    struct hf_java_object **out_machines, int32_t room, int32_t *out_count);
typedef int32_t hf_jni_detach(struct hf_java_object *machine);
typedef int32_t hf_jni_get_env(
    struct hf_java_object *machine, struct hf_java_object **out_env, int32_t version);
typedef int32_t hf_jni_attach(
    struct hf_java_object *machine, void **out_env, struct hf_jni_attach *how);
typedef int32_t hf_jvmti_set_event_mode(
    struct hf_java_object *env, int32_t is_on, int32_t event, void *thread, ...);
typedef int32_t hf_jvmti_set_tag(struct hf_java_object *env, void *object, int64_t tag);
typedef int32_t hf_jvmti_set_callbacks(
    struct hf_java_object *env, const struct hf_jvmti_callbacks *callbacks, int32_t bytes);
typedef int32_t hf_jvmti_free(struct hf_java_object *env);
typedef int32_t hf_jvmti_get_phase(struct hf_java_object *env, int32_t *out_phase);
typedef int32_t hf_jvmti_add_capabilities(
    struct hf_java_object *env, const struct hf_jvmti_capabilities *capabilities);
typedef int32_t hf_jvmti_set_interval(struct hf_java_object *env, int32_t bytes);

/* True if all these functions of the object lie in the `bytes` from `image` on. */
static inline bool hf_java_has(const struct hf_java_object *object, const uint8_t *slots,
    size_t count, uint64_t image, uint64_t bytes)
{
    for (size_t i = 0; i < count; i++) {
        if ((uint64_t)(uintptr_t)object->functions[slots[i]] - image >= bytes)
            return false;
    }
    return true;
}

#endif
