#include "attach/go_stack.h"

#include "attach/hidden_callers.h"
#include "base/attr.h"

#include <string.h>

enum go_role {
    GO_OTHER,
    GO_END,       /* of a goroutine */
    GO_OUTERMOST, /* of a thread */
    GO_LARGER_STACK,
    GO_SCHEDULER,
    GO_SYSTEM_STACK,
    GO_C_CALL,
    GO_CALLER_OF_C,
};

static const struct {
    const char *name;
    enum go_role role;
} functions[] = {
    {"runtime.goexit", GO_END},
    {"runtime.mstart", GO_OUTERMOST},
    {"runtime.rt0_go", GO_OUTERMOST},
    {"runtime.mcall", GO_OUTERMOST},
    {"runtime.morestack", GO_LARGER_STACK},
    {"runtime.schedule", GO_SCHEDULER},
    {"runtime.systemstack", GO_SYSTEM_STACK},
    {"runtime.asmcgocall", GO_C_CALL},
    {"runtime.cgocall", GO_CALLER_OF_C},
};

static enum go_role go_role_of(struct hf_images *images, uint64_t pc)
{
    struct hf_text name = hf_images_go_function(images, pc);
    for (size_t i = 0; i < HF_COUNT(functions); i++) {
        if (hf_text_is(name, functions[i].name))
            return functions[i].role;
    }
    return GO_OTHER;
}

/* The frames behind it are on another stack. */
static bool is_switch(enum go_role role)
{
    return role == GO_LARGER_STACK || role == GO_SYSTEM_STACK || role == GO_C_CALL;
}

static bool runs_scheduler(struct hf_images *images, const uint64_t *addresses, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (go_role_of(images, addresses[i]) == GO_SCHEDULER)
            return true;
    }
    return false;
}

/* Where the chain goes on behind the outermost two that were walked; its count if it has not them.
 */
static size_t chain_behind(
    const struct hf_pointer_chain *chain, const uint64_t *addresses, size_t count)
{
    for (size_t i = 1; count >= 2 && i < chain->count; i++) {
        bool is_caller = count == 2 || chain->addresses[i - 1] == addresses[count - 2];
        if (is_caller && chain->addresses[i] == addresses[count - 1])
            return i + 1;
    }
    return chain->count;
}

/* The function that the call before a return address names; 0: it names none. */
static uint64_t called_before(const struct hf_images *images, uint64_t pc)
{
    enum { CALL = 0xe8, CALL_BYTES = 5 };
    int32_t distance;
    const struct hf_code_segment *segment = hf_images_at(images, pc - 1);
    if (segment == NULL || !hf_code_image_is_whole(&images->images[segment->image]))
        return 0;
    struct hf_text file = images->images[segment->image].elf.bytes;
    uint64_t end = pc - segment->start + segment->file_offset;
    if (end < CALL_BYTES || end > file.size || (unsigned char)file.data[end - CALL_BYTES] != CALL)
        return 0;
    memcpy(&distance, file.data + (end - sizeof distance), sizeof distance);
    return pc + (uint64_t)(int64_t)distance;
}

/*
 * Where in the chain the goroutine goes on that has called C: at the return address of a call of
 * runtime.cgocall, whose frame pointer C has left as it was, or keeps in a chain of its own.
 */
static size_t chain_behind_c(struct hf_images *images, const struct hf_pointer_chain *chain)
{
    size_t at = 1;
    for (; at < chain->count; at++) {
        uint64_t called = called_before(images, chain->addresses[at]);
        if (called != 0 && go_role_of(images, called + 1) == GO_CALLER_OF_C)
            break;
    }
    return at;
}

/* The chain from `at` on. True if the last of them is the end of a goroutine. */
static bool add_goroutine(struct hf_images *images, const struct hf_pointer_chain *chain, size_t at,
    uint64_t addresses[HF_UNWIND_FRAMES_MAX], size_t *count)
{
    for (; at < chain->count && *count < HF_UNWIND_FRAMES_MAX; at++) {
        uint64_t pc = chain->addresses[at];
        enum go_role role = go_role_of(images, pc);
        if (role == GO_OUTERMOST ||
            (role != GO_END && hf_return_kind_of(images, pc) == HF_RETURN_NONE))
            return false;
        addresses[(*count)++] = pc;
        if (role == GO_END)
            return true;
    }
    return false;
}

bool hf_go_stack_go_on(struct hf_images *images, const struct hf_pointer_chain *chain,
    uint64_t addresses[HF_UNWIND_FRAMES_MAX], size_t *count)
{
    enum go_role role = go_role_of(images, addresses[*count - 1]);
    if (role == GO_END || role == GO_OUTERMOST ||
        (role == GO_LARGER_STACK && runs_scheduler(images, addresses, *count)))
        return true;
    if (chain == NULL)
        return false;
    /* Of a page that a stack comes to first there is no copy. */
    if (*count == 1 && hf_images_go_function(images, addresses[0]).size != 0)
        return add_goroutine(images, chain, 1, addresses, count);
    if (!is_switch(role))
        return false;
    size_t at =
        role == GO_C_CALL ? chain_behind_c(images, chain) : chain_behind(chain, addresses, *count);
    return add_goroutine(images, chain, at, addresses, count);
}

bool hf_go_stack_is_left_at(struct hf_images *images, uint64_t pc)
{
    return is_switch(go_role_of(images, pc));
}
