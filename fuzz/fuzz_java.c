/*
 * The Java frames of a process: whatever its memory says, reading ends, and frames are of the one
 * native frame whose code has no rule.
 * What is reserved for objects is one piece that ends behind where it begins.
 *
 * Input: pc, sp and fp of that frame, 8 bytes each; the memory from 0x10000 on. There are the
 * variables (hf_java), 32 bytes, the lists that HotSpot exports, 24 bytes, and from 0x10040 to
 * 0x10840 the stack.
 */
#include "fuzz.h"
#include "input.h"
#include "tell.h"
#include "unwind/java/method_frames.h"
#include "unwind/java/methods.h"
#include "unwind/java/vm_structs.h"

#define BASE 0x10000u
#define TOLD 8u
#define LISTS (BASE + 32)
#define STACK_END (BASE + 0x840)

/* As Java 17 exports it. */
static const struct hf_java java = {
    .heaps = BASE,
    .interpreter = BASE + 8,
    .call_stub_return = BASE + 16,
    .version = BASE + 24,
    .objects = BASE,
    .objects_reserved = 8,
    .region_words = 8,
    .array_data = 8,
    .heap_memory = 8,
    .heap_segments = 120,
    .heap_segment_bits = 256,
    .space_low = 16,
    .space_high = 24,
    .block_used = 8,
    .block_bytes = 16,
    .queue_code = 8,
    .queue_bytes = 20,
    .blob_name = 96,
    .blob_frame_words = 28,
    .blob_code = 32,
    .compiled_method = 112,
    .compiled_scopes = 120,
    .compiled_metadata = 260,
    .compiled_pcs = 268,
    .compiled_pcs_end = 272,
    .compiled_left = 128,
    .compiled_left_calls = 136,
    .compiled_kept_pc = 300,
    .pc_scope = 4,
    .pc_bytes = 16,
    .method_const = 8,
    .const_pool = 8,
    .const_flags = 28,
    .const_code_bytes = 32,
    .const_name = 34,
    .const_bytes = 48,
    .pool_tags = 8,
    .pool_holder = 24,
    .pool_length = 60,
    .pool_bytes = 72,
    .class_name = 24,
    .symbol_length = 4,
    .symbol_body = 6,
    .wrapper_anchor = 32,
    .anchor_pc = 8,
    .anchor_fp = 16,
    .has_lines = 1,
};

/* As the agent makes a frame of the table (agent/interpreter_java.c). */
static void tell_java_frame(
    const struct hf_interpreted_memory *memory, const struct hf_interpreted_frame *frame)
{
    struct hf_java_method method;
    char out[HF_JAVA_NAME_BYTES];
    if (!hf_java_method_read(&java, memory, frame->scope, &method))
        abort(); /* it was one when the chain was read */
    size_t size = hf_java_name_write(&java, memory, &method, out);
    if (size > sizeof out)
        abort();
    fuzz_tell_named("method", (struct hf_text){out, size});
    size = hf_java_file_write(&java, memory, &method, out);
    if (size > sizeof out)
        abort();
    fuzz_tell_named("file", (struct hf_text){out, size});
    if (frame->offset != 0)
        fuzz_tell("line %u\n", hf_java_line(&java, memory, &method, frame->offset - 1));
}

static void look_for_objects(const struct hf_interpreted_memory *memory)
{
    uint64_t start, end;
    if (hf_java_find_objects(&java, memory, &start, &end) && (start == 0 || start >= end))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct hf_interpreted_chain chain;
    struct hf_cursor c = hf_cursor_of(data, size, "input");
    struct hf_unwind_frame natives[3] = {0};
    for (uint32_t i = 0; i < 2; i++) {
        natives[i].rule = hf_unwind_rule_make(HF_UNWIND_SP, 1, 0);
        natives[i].caller = &natives[i + 1];
    }
    natives[2].pc = hf_cursor_u64(&c);
    natives[2].sp = hf_cursor_u64(&c);
    natives[2].fp = hf_cursor_u64(&c);
    struct fuzz_memory process = {BASE, fuzz_take_part(&c, size)};
    struct hf_interpreted_memory memory = {fuzz_copy, &process};
    struct hf_java_sight sight = {.surely = &memory};
    struct hf_java exported = {0};
    const struct hf_java_exports exports = {LISTS, LISTS + 8, LISTS + 16};
    fuzz_tell(
        "exported: %s\n", hf_java_structs_read(&exported, &memory, &exports) ? "all" : "not all");
    look_for_objects(&memory);
    hf_java_chain_read(&chain, &java, &memory, &sight, natives, STACK_END);
    for (uint32_t i = 0; i < chain.count; i++) {
        if (chain.frames[i].native != 2)
            abort();
        if (i < TOLD)
            tell_java_frame(&memory, &chain.frames[i]);
    }
    if ((chain.is_broken && chain.count != 0) || chain.is_outermost != (chain.count != 0))
        abort();
    fuzz_tell("%u frames%s%s\n", chain.count, chain.is_broken ? ", broken" : "",
        chain.is_cut ? ", cut" : "");
    fuzz_free_part(process.bytes);
    return 0;
}
