/* interpreter_java.c: Java (unwind/java/vm_structs.h), as interpreter.h wants a language. */
#include "image.h"
#include "interpreter.h"
#include "unwind/java/method_frames.h"
#include "unwind/java/methods.h"

_Static_assert(HF_JAVA_NAME_BYTES <= HF_INTERPRETER_TEXT_BYTES, "Class.method fits");

enum { JAVA_TRIES = 64 };

/* What HotSpot exports of itself is complete when it has begun: parts of it are computed. */
static bool java_has_begun(const struct hf_java *java)
{
    uint64_t call;
    return hf_java_u64(&hf_interpreter_by_copy, java->call_stub_return, 0, &call) && call != 0;
}

/*
 * The image is taken twice: when it is mapped, nothing of it need be there yet; and when code that
 * has no rule is on a stack, which may be HotSpot's, then with all that is needed (java_find).
 */
static enum hf_live_interpreter java_take(struct hf_interpreter *interpreter, uint64_t start)
{
    const struct hf_interpreted_memory *memory = &hf_interpreter_by_copy;
    const struct hf_java_exports exports = {
        .structs = hf_image_find_symbol(start, "gHotSpotVMStructs", NULL),
        .types = hf_image_find_symbol(start, "gHotSpotVMTypes", NULL),
        .constants = hf_image_find_symbol(start, "gHotSpotVMIntConstants", NULL)};
    struct hf_java java = {0};
    int32_t version;
    if (exports.structs == 0 || exports.types == 0 || exports.constants == 0)
        return HF_LIVE_INTERPRETER_NONE;
    if (start != interpreter->start)
        atomic_store_explicit(&interpreter->is_laid_out, false, memory_order_relaxed);
    if (start != interpreter->start)
        return HF_LIVE_INTERPRETER_READ;
    bool is_whole = hf_java_structs_read(&java, memory, &exports) && java_has_begun(&java);
    bool is_said =
        java.version != 0 && hf_java_i32(memory, java.version, 0, &version) && version != 0;
    interpreter->version = is_said ? ((uint32_t)version & 0xff) << 8 : 0;
    if (is_said && !hf_java_is_known((uint32_t)version))
        return HF_LIVE_INTERPRETER_UNKNOWN;
    if (!is_whole && interpreter->asked++ < JAVA_TRIES)
        return HF_LIVE_INTERPRETER_READ;
    if (is_whole) {
        interpreter->java = java;
        atomic_store_explicit(&interpreter->is_laid_out, true, memory_order_release);
    }
    return is_whole ? HF_LIVE_INTERPRETER_READ : HF_LIVE_INTERPRETER_UNFIT;
}

/* Code and methods stay where they are while frames of theirs are on a stack. */
static bool java_find(struct hf_interpreter *interpreter, const struct hf_unwind_frame *leaf,
    struct hf_interpreter_thread *out_thread)
{
    uint32_t number;
    out_thread->holds = true;
    if (hf_java_first(leaf, &number) == NULL)
        return false;
    if (atomic_load_explicit(&interpreter->is_laid_out, memory_order_acquire))
        return true;
    atomic_store_explicit(&interpreter->is_asked, true, memory_order_release);
    return false;
}

static void java_read(const struct hf_interpreter *interpreter,
    const struct hf_interpreted_memory *memory, const struct hf_interpreter_thread *thread,
    const struct hf_unwind_frame *leaf, struct hf_interpreted_chain *chain)
{
    static struct hf_java_sight sight = {.surely = &hf_interpreter_by_copy};
    hf_java_chain_read(chain, &interpreter->java, memory, &sight, leaf, thread->stack_end);
}

static size_t java_write_name(const struct hf_interpreter *interpreter,
    const struct hf_interpreted_memory *memory, const struct hf_interpreted_frame *frame,
    char out[HF_INTERPRETER_TEXT_BYTES])
{
    struct hf_java_method method;
    return hf_java_method_read(&interpreter->java, memory, frame->scope, &method)
               ? hf_java_name_write(&interpreter->java, memory, &method, out)
               : 0;
}

static size_t java_write_file(const struct hf_interpreter *interpreter,
    const struct hf_interpreted_memory *memory, const struct hf_interpreted_frame *frame,
    char out[HF_INTERPRETER_TEXT_BYTES])
{
    struct hf_java_method method;
    return hf_java_method_read(&interpreter->java, memory, frame->scope, &method)
               ? hf_java_file_write(&interpreter->java, memory, &method, out)
               : 0;
}

static uint32_t java_line(struct hf_interpreter *interpreter,
    const struct hf_interpreted_memory *memory, const struct hf_interpreted_frame *frame)
{
    struct hf_java_method method;
    return frame->offset != 0 &&
                   hf_java_method_read(&interpreter->java, memory, frame->scope, &method)
               ? hf_java_line(&interpreter->java, memory, &method, frame->offset - 1)
               : 0;
}

const struct hf_interpreter_language hf_interpreter_java = {
    .number = HF_LIVE_JAVA,
    .replaces = true,
    .take = java_take,
    .find = java_find,
    .read = java_read,
    .write_name = java_write_name,
    .write_file = java_write_file,
    .line = java_line,
};
