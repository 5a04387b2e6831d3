/*
 * objects.h: the head of each object of Ruby's heap: its type, and what it says of itself.
 *
 * Safety: any context, safe inside malloc.
 */
#ifndef HF_UNWIND_RUBY_OBJECTS_H
#define HF_UNWIND_RUBY_OBJECTS_H

#include "unwind/ruby/structures.h"

enum { HF_RUBY_FLAGS = 0, HF_RUBY_CLASS_OF = 8 };

/* Types, in the lowest bits of the flags. */
enum hf_ruby_type {
    HF_RUBY_CLASS = 0x02,
    HF_RUBY_MODULE = 0x03,
    HF_RUBY_STRING = 0x05,
    HF_RUBY_ARRAY = 0x07,
    HF_RUBY_INTERNAL = 0x1a, /* T_IMEMO */
};

#define HF_RUBY_TYPE_MASK 0x1fu
#define HF_RUBY_NIL 0x08u

#define HF_RUBY_IS_SINGLETON (1u << 12) /* of a class */
#define HF_RUBY_IS_APART (1u << 13)     /* of a string: its bytes are elsewhere */
#define HF_RUBY_IS_WITHIN (1u << 13)    /* of an array: its items are in the object */
#define HF_RUBY_STRING_SIZE_SHIFT 14u   /* of one whose bytes are in the object */
#define HF_RUBY_STRING_SIZE_MASK (0x1fu << HF_RUBY_STRING_SIZE_SHIFT)

/* Kinds of internal objects. */
enum hf_ruby_kind {
    HF_RUBY_SPECIAL = 2,  /* imemo_svar */
    HF_RUBY_METHOD = 6,   /* imemo_ment */
    HF_RUBY_SEQUENCE = 7, /* imemo_iseq */
};

#define HF_RUBY_KIND_SHIFT 12u
#define HF_RUBY_KIND_MASK 0x0fu

/* Copies an object, if `value` is one and of that type. */
HF_MUST_CHECK static inline bool hf_ruby_copy_object(const struct hf_interpreted_memory *memory,
    uint64_t value, enum hf_ruby_type type, uint8_t out[HF_RUBY_OBJECT_BYTES])
{
    return value % 8 == 0 && hf_interpreted_copy(memory, value, out, HF_RUBY_OBJECT_BYTES) &&
           (hf_interpreted_u64(out, HF_RUBY_FLAGS) & HF_RUBY_TYPE_MASK) == type;
}

static inline uint32_t hf_ruby_kind(const uint8_t object[HF_RUBY_OBJECT_BYTES])
{
    return hf_interpreted_u64(object, HF_RUBY_FLAGS) >> HF_RUBY_KIND_SHIFT & HF_RUBY_KIND_MASK;
}

#endif
