#include "heap/stack_frames.h"

#include "base/containers/vec.h"
#include "heap/mapped_module.h"
#include "unwind/walk.h"

#include <stdlib.h>

#define PAGE 4096u
#define STACK_MAX (UINT64_C(8) << 20)
#define RED_ZONE 128u /* System V ABI for x86-64, 3.2.2 */

/* A module whose code is on a stack; it stays where it is. */
struct walked_module {
    const struct hf_process_mapping *first;
    bool is_known; /* it is the file that is mapped */
    struct hf_mapped_module module;
};

struct frames_maker {
    struct hf_stack_frames *frames;
    const struct hf_process_image *image;
    struct hf_process_reader *reader;
    struct hf_unwind_memo *memo;
    struct hf_unwind_cache *cache;
    char *bytes; /* of the stack that is being unwound */
    struct walked_module **modules;
    size_t count, capacity;
};

/* NULL: the address is in no module, or there is no memory. */
static struct walked_module *walked_module_at(struct frames_maker *m, uint64_t address)
{
    const struct hf_process_mapping *first = hf_mapped_module_start(m->image, address);
    if (first == NULL)
        return NULL;
    for (size_t i = 0; i < m->count; i++) {
        if (m->modules[i]->first == first)
            return m->modules[i];
    }
    struct walked_module *module = calloc(1, sizeof *module);
    if (module == NULL ||
        !hf_vec_reserve(&m->modules, &m->capacity, m->count + 1, sizeof(struct walked_module *))) {
        free(module);
        return NULL;
    }
    module->first = first;
    module->is_known = hf_mapped_module_open(&module->module, m->image, first);
    m->modules[m->count++] = module;
    return module;
}

static struct hf_unwind_rule walked_rule(void *context, uint64_t address, bool is_guess)
{
    (void)is_guess; /* the files do not change */
    struct hf_unwind_rule none = {HF_UNWIND_UNKNOWN}, rule = none;
    const struct walked_module *module = walked_module_at(context, address);
    if (module == NULL || !module->is_known)
        return none;
    rule = hf_unwind_rule_at(&module->module.files.callframes, address - module->module.bias);
    /* Only now is it known which module the information came from. */
    return hf_file_map_is_whole(&module->module.files.image_map) ? rule : none;
}

static enum hf_status add_frame(
    struct hf_stack_frames *frames, struct hf_stack_frame frame, struct hf_error *err)
{
    if (!hf_vec_reserve(
            &frames->items, &frames->capacity, frames->count + 1, sizeof *frames->items))
        return hf_error_memory(err);
    frames->items[frames->count++] = frame;
    return HF_OK;
}

/* Reads the stack from `low` to `high`, as far as it can be read. */
static uint64_t copy_stack(struct frames_maker *m, uint64_t low, uint64_t high)
{
    uint64_t at = low, limit = high - low < STACK_MAX ? high : low + STACK_MAX;
    while (at < limit) {
        uint64_t next = (at | (PAGE - 1)) + 1;
        next = next < limit ? next : limit;
        if (!hf_process_copy(m->reader, at, m->bytes + (at - low), next - at))
            break;
        at = next;
    }
    return at;
}

/* Where the outermost frame ends: with the mapping; but behind that of a thread that the program
 * has begun lie the thread's own data. */
static uint64_t outermost_end(const struct hf_stopped_thread *thread,
    const struct hf_process_mapping *mapping, uint64_t start)
{
    uint64_t own = thread->registers.fs_base;
    return own >= start && own < mapping->end ? start : mapping->end;
}

static enum hf_status walk_thread(
    struct frames_maker *m, const struct hf_stopped_thread *thread, struct hf_error *err)
{
    const struct user_regs_struct *r = &thread->registers;
    const struct hf_process_mapping *mapping = hf_process_image_find(m->image, r->rsp);
    if (mapping == NULL)
        return HF_OK;
    const struct hf_unwind_registers at = {r->rip + 1, r->rsp, r->rbp};
    const struct hf_unwind_code code = {walked_rule, m};
    uint64_t high = copy_stack(m, r->rsp, mapping->end);
    const struct hf_unwind_stack stack = {r->rsp, high, (uintptr_t)m->bytes - r->rsp};
    const struct hf_unwind_frame *frame = hf_unwind_walk(m->memo, &at, &stack, m->cache, &code);
    enum hf_status status = HF_OK;
    for (uint64_t start = r->rsp - RED_ZONE; frame != NULL && status == HF_OK;
         frame = frame->caller) {
        bool is_outermost = hf_unwind_rule_kind(frame->rule) == HF_UNWIND_END;
        uint64_t end = frame->caller != NULL ? frame->caller->sp
                       : is_outermost        ? outermost_end(thread, mapping, start)
                                             : start;
        if (end > start)
            status = add_frame(m->frames, (struct hf_stack_frame){start, end, frame->pc - 1}, err);
        start = end;
    }
    return status;
}

static enum hf_status walk_threads(struct frames_maker *m, struct hf_error *err)
{
    enum hf_status status = HF_OK;
    m->reader = hf_process_reader_new(m->image);
    m->memo = calloc(1, sizeof *m->memo);
    m->cache = calloc(1, sizeof *m->cache);
    m->bytes = malloc(STACK_MAX);
    if (m->reader == NULL || m->memo == NULL || m->cache == NULL || m->bytes == NULL)
        return hf_error_memory(err);
    for (size_t i = 0; i < m->image->thread_count && status == HF_OK; i++)
        status = walk_thread(m, &m->image->threads[i], err);
    return status;
}

enum hf_status hf_stack_frames_read(
    struct hf_stack_frames *frames, const struct hf_process_image *image, struct hf_error *err)
{
    struct frames_maker m = {.frames = frames, .image = image};
    *frames = (struct hf_stack_frames){0};
    enum hf_status status = walk_threads(&m, err);
    for (size_t i = 0; i < m.count; i++) {
        hf_mapped_module_close(&m.modules[i]->module);
        free(m.modules[i]);
    }
    free(m.modules);
    free(m.bytes);
    free(m.cache);
    free(m.memo);
    free(m.reader);
    return status;
}

void hf_stack_frames_done(struct hf_stack_frames *frames)
{
    free(frames->items);
    *frames = (struct hf_stack_frames){0};
}
