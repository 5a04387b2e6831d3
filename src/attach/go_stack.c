#include "attach/go_stack.h"

#include "attach/hidden_callers.h"
#include "base/attr.h"

enum go_role {
    GO_OTHER,
    GO_OUTERMOST,
    GO_LARGER_STACK,
    GO_SCHEDULER,
    GO_SYSTEM_STACK,
};

static const struct {
    const char *name;
    enum go_role role;
} functions[] = {
    {"runtime.goexit", GO_OUTERMOST},
    {"runtime.mstart", GO_OUTERMOST},
    {"runtime.rt0_go", GO_OUTERMOST},
    {"runtime.mcall", GO_OUTERMOST},
    {"runtime.morestack", GO_LARGER_STACK},
    {"runtime.schedule", GO_SCHEDULER},
    {"runtime.systemstack", GO_SYSTEM_STACK},
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

/* True if the last of them is the outermost. */
static bool add_goroutine(struct hf_images *images, const struct hf_pointer_chain *chain,
    uint64_t addresses[HF_UNWIND_FRAMES_MAX], size_t *count)
{
    size_t at = chain_behind(chain, addresses, *count);
    for (; at < chain->count && *count < HF_UNWIND_FRAMES_MAX; at++) {
        uint64_t pc = chain->addresses[at];
        bool is_outermost = go_role_of(images, pc) == GO_OUTERMOST;
        if (!is_outermost && hf_return_kind_of(images, pc) == HF_RETURN_NONE)
            return false;
        addresses[(*count)++] = pc;
        if (is_outermost)
            return true;
    }
    return false;
}

bool hf_go_stack_go_on(struct hf_images *images, const struct hf_pointer_chain *chain,
    uint64_t addresses[HF_UNWIND_FRAMES_MAX], size_t *count)
{
    switch (go_role_of(images, addresses[*count - 1])) {
    case GO_OUTERMOST: return true;
    case GO_LARGER_STACK: return runs_scheduler(images, addresses, *count);
    case GO_SYSTEM_STACK: return chain != NULL && add_goroutine(images, chain, addresses, count);
    default: return false;
    }
}
