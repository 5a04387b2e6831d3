/*
 * vm_structs.h: where HotSpot keeps what leads to the Java frames of a thread.
 *
 * HotSpot exports its own layout for debuggers of dead processes (vmStructs.cpp in OpenJDK):
 * gHotSpotVMStructs has for each field its class, its name, and its offset, or the address of a
 * static one; gHotSpotVMTypes the sizes of classes, gHotSpotVMIntConstants values. All that is
 * exported is taken from there, and must be what it can be. What is not exported, and the order of
 * what is packed (unwind/java/packed.h, method_frames.c), is the same in the versions that were run
 * (docs/agent.md); in others Java has no frames.
 *
 * Safety: any context, safe inside malloc.
 *
 * Example:
 *
 *     struct hf_java java = {0};
 *     struct hf_interpreted_memory memory = {0}; // the caller's own
 *     struct hf_java_exports exports = {0};      // the addresses of the three variables
 *     if (hf_java_structs_read(&java, &memory, &exports) && hf_java_is_known(17))
 *         status = HF_OK;
 */
#ifndef HF_UNWIND_JAVA_VM_STRUCTS_H
#define HF_UNWIND_JAVA_VM_STRUCTS_H

#include "unwind/interpreted/memory.h"

/* Addresses of exported variables, each of which points to the first entry of its list. */
struct hf_java_exports {
    uint64_t structs, types, constants;
};

/* Offsets in bytes from the start of an object, but for the statics. */
struct hf_java {
    /* Addresses of variables. */
    uint64_t heaps, interpreter, call_stub_return, version, update, objects;
    int32_t objects_reserved, region_start, region_words;  /* a CollectedHeap, and its MemRegion */
    int32_t array_length, array_data;                      /* a GrowableArray */
    int32_t heap_memory, heap_segments, heap_segment_bits; /* a CodeHeap */
    int32_t space_low, space_high;                         /* a VirtualSpace */
    int32_t block_used, block_bytes;                       /* what stands before a CodeBlob */
    int32_t queue_code, queue_bytes;                       /* a StubQueue */
    int32_t blob_name, blob_frame_words, blob_code;
    int32_t compiled_method, compiled_scopes; /* an nmethod, as are the next */
    int32_t compiled_metadata, compiled_pcs, compiled_pcs_end;
    int32_t compiled_left, compiled_left_calls, compiled_kept_pc; /* code that is given up */
    int32_t pc_offset, pc_scope, pc_bytes;                        /* a PcDesc */
    int32_t method_const;
    int32_t const_pool, const_flags, const_code_bytes, const_name, const_bytes; /* a ConstMethod */
    int32_t pool_tags, pool_holder, pool_length, pool_bytes;                    /* a ConstantPool */
    int32_t class_name;
    int32_t symbol_length, symbol_body;
    int32_t wrapper_anchor, anchor_sp, anchor_pc, anchor_fp; /* of a call from C++ */
    int32_t has_lines;                                       /* a bit of const_flags */
};

#define HF_JAVA_WANTED 52u

/* True if this major version of the Java virtual machine was run. */
HF_MUST_CHECK bool hf_java_is_known(uint32_t version);

/* False if something is not there, or cannot be what it says. */
HF_MUST_CHECK bool hf_java_structs_read(struct hf_java *java,
    const struct hf_interpreted_memory *memory, const struct hf_java_exports *exports);

/* The addresses that are reserved for objects; false: they are not one piece (ZGC), or unknown. */
HF_MUST_CHECK bool hf_java_find_objects(const struct hf_java *java,
    const struct hf_interpreted_memory *memory, uint64_t *out_start, uint64_t *out_end);

/* A pointer, an int, or an unsigned short of an object. */
HF_MUST_CHECK static inline bool hf_java_u64(const struct hf_interpreted_memory *memory,
    uint64_t object, int32_t offset, uint64_t *out_value)
{
    return hf_interpreted_copy(
        memory, object + (uint64_t)(int64_t)offset, out_value, sizeof *out_value);
}

HF_MUST_CHECK static inline bool hf_java_i32(
    const struct hf_interpreted_memory *memory, uint64_t object, int32_t offset, int32_t *out_value)
{
    return hf_interpreted_copy(
        memory, object + (uint64_t)(int64_t)offset, out_value, sizeof *out_value);
}

HF_MUST_CHECK static inline bool hf_java_u16(const struct hf_interpreted_memory *memory,
    uint64_t object, int32_t offset, uint16_t *out_value)
{
    return hf_interpreted_copy(
        memory, object + (uint64_t)(int64_t)offset, out_value, sizeof *out_value);
}

#endif
