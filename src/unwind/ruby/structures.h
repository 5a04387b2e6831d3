/*
 * structures.h: where Ruby keeps what leads to the frames of a thread, version by version.
 *
 * Sources: vm_core.h, iseq.h, iseq.c, method.h, internal/class.h, internal/imemo.h and
 * include/ruby/internal/core/ of each version, as the compiler lays them out on x86-64. A layout
 * holds for all releases of its minor version, whose interface for extensions is one; there is one
 * for each that was run (docs/agent.md). It is known by the version that libruby exports
 * (ruby_api_version), and proved by what each thread and object that is followed says of itself.
 */
#ifndef HF_UNWIND_RUBY_STRUCTURES_H
#define HF_UNWIND_RUBY_STRUCTURES_H

#include "unwind/interpreted/memory.h"

#define HF_RUBY_CONTEXT_BYTES 56 /* what is read of an rb_execution_context_t */
#define HF_RUBY_THREAD_BYTES 176 /* of an rb_thread_t */
#define HF_RUBY_FRAME_BYTES 64   /* an rb_control_frame_t */
#define HF_RUBY_CODE_BYTES 184   /* of an rb_iseq_constant_body */
#define HF_RUBY_METHOD_BYTES 40  /* an rb_callable_method_entry_t */
#define HF_RUBY_OBJECT_BYTES 40  /* an object of the heap */
#define HF_RUBY_TABLE_BYTES 56   /* an st_table */
#define HF_RUBY_ENTRY_BYTES 24   /* an st_table_entry */

/* Offsets in bytes, unless something else is said. */
struct hf_ruby_layout {
    uint32_t version; /* major << 8 | minor */
    /* rb_vm_t; of its heap, the flags that say that it is being collected */
    uint16_t vm_heap, heap_flags, heap_is_collecting;
    /* rb_execution_context_t, rb_thread_t */
    uint16_t context_stack, context_stack_words, context_frame, context_thread;
    uint16_t thread_vm, thread_context, thread_blocking;
    /* rb_control_frame_t */
    uint16_t frame_pc, frame_sequence, frame_environment;
    /* rb_iseq_t, rb_iseq_constant_body */
    uint16_t sequence_code;
    uint16_t code_kind, code_words, code_start, code_path, code_base_label, code_label;
    uint16_t code_first_line, code_lines, code_line_count, code_line_index, code_local;
    uint8_t code_kind_method; /* ISEQ_TYPE_METHOD */
    /* iseq_insn_info_entry, of `line_bytes`; the line comes first */
    uint16_t line_bytes;
    /* rb_callable_method_entry_t, vm_svar; of a definition, the bits that say that it is of code */
    uint16_t method_definition, method_owner, special_method;
    uint8_t definition_mask, definition_is_code; /* VM_METHOD_TYPE_ISEQ */
    /* RString, RArray, RClass, rb_classext_t, st_table */
    uint16_t string_length, string_pointer, string_bytes, array_items;
    uint16_t class_more, more_variables;
    uint16_t table_start, table_bound, table_entries;
};

/* That of a version; NULL: it was never run. */
const struct hf_ruby_layout *hf_ruby_layout_find(uint32_t version);

/* A Ruby in the process. */
struct hf_ruby {
    const struct hf_ruby_layout *layout;
    uint64_t run, run_bytes; /* of rb_vm_exec */
    uint64_t vm, string;     /* addresses of ruby_current_vm_ptr and rb_cString */
};

#endif
