/*
 * bpf_shared.h: what the program in the kernel (bpf/blocks.bpf.c) and the tool say to each other:
 * keys and values of its maps, and the records of its ring. Compiled for both; every struct is
 * without padding.
 */
#ifndef HF_ATTACH_BPF_SHARED_H
#define HF_ATTACH_BPF_SHARED_H

#include <linux/types.h>

#define HF_BPF_PROBES_MAX 256
#define HF_BPF_CONTEXTS_MAX (1 << 20) /* HF_LIMIT_CONTEXTS, and those that come */
#define HF_BPF_GAPS 65536             /* a power of two */
#define HF_BPF_CODE_RANGES 4          /* of addresses */
/* Of a stack. With 128, one in 500 stacks was taken for another; with 256, none. */
#define HF_BPF_HASHED_WORDS 256
#define HF_BPF_STACK_PAGES 6 /* copied of a stack that is new */
#define HF_BPF_PAGE_BYTES 4096

/* Where a value of a call is: the forms that specs use. */
enum hf_bpf_value_kind {
    HF_BPF_NOTHING, /* the spec does not say */
    HF_BPF_ARGUMENT,
    HF_BPF_PRODUCT, /* of two arguments */
    HF_BPF_LOADED,  /* the word that an argument points to */
    HF_BPF_RESULT,
    HF_BPF_RESULT32,
    HF_BPF_NUMBER,
};

struct hf_bpf_value {
    __u32 kind;
    __u16 argument, other; /* 0 to 5 */
    __u64 number;
};

enum hf_bpf_relation { HF_BPF_EQUAL, HF_BPF_DIFFERENT, HF_BPF_BELOW, HF_BPF_AT_LEAST };

/* Kinds of calls: enum hf_role (spec/role.h), less those of ranges. */
struct hf_bpf_probe {
    __u32 role;
    __u32 relation;      /* enum hf_bpf_relation, of `ok` to `ok_value`: then it succeeded */
    __u32 is_in_context; /* each of its blocks is */
    __u32 reserved;
    struct hf_bpf_value context, pointer, size, new_block;
    struct hf_bpf_value ok, ok_value; /* HF_BPF_NOTHING: always so */
};

struct hf_bpf_options {
    __u64 pid_namespace_device, pid_namespace_inode;
    __u64 period_bytes; /* mean bytes between samples; 1: everything */
    __u64 code_start[HF_BPF_CODE_RANGES], code_end[HF_BPF_CODE_RANGES];
    __u64 name_offset; /* of the pointer to its name in a memory context */
    __u32 has_contexts;
    __u32 has_names;         /* contexts have */
    __u32 skips_short_lived; /* classes of contexts */
    __u32 is_open;           /* else nothing counts: probes are missing */
    __u32 process;           /* that is followed, as the tool numbers it */
    __u32 turn;              /* even: births are followed; one more whenever that changes */
    __u32 code_turn;         /* one more whenever code lies where other code was */
    __u32 is_part_of_time;   /* a realloc is a birth: it is not recorded while those are not */
};

/* Who is followed, as the kernel found out. */
struct hf_bpf_followed {
    __u64 number;    /* the kernel's; 0: it was not seen yet */
    __u64 has_ended; /* by exec(3): nothing counts any more */
};

/* A block in use, by its address. Dead if its context has another generation by now. */
struct hf_bpf_block {
    __u64 size;
    __u64 context; /* 0: none */
    __u64 stack;   /* its hash */
    __u64 birth_ns;
    __u32 generation;
    __u32 tid;
    __u32 role; /* of the call that allocated it; that of a context has itself as address */
    __u32 reserved;
};

/*
 * A call that was entered and shall be seen to return; of each thread the outermost. Without a
 * pointer it is of an older `turn` stale: the probe that would have seen it return may be out.
 */
struct hf_bpf_open_call {
    __u64 arguments[6];
    __u64 sp;
    __u64 context, size, pointer;
    __u64 stack; /* 0: nothing is recorded of it, but the old block goes when it succeeds */
    __u32 probe;
    __u32 thread; /* the kernel's number */
    __u32 generation;
    __u32 has_old;
    __u32 turn; /* when it was entered */
    __u32 reserved;
    struct hf_bpf_block old; /* of a realloc, taken out: another may get its address meanwhile */
};

/* A memory context, by its address. */
struct hf_bpf_context {
    __u64 name; /* address of its name: its class */
    __u32 generation;
    __u8 is_kept; /* was there at the start, and not reset since */
    __u8 is_dead; /* deleted: who is at that address next is another */
    __u16 reserved;
};

/* What was ever recorded of a stack in a context. */
struct hf_bpf_total_key {
    __u64 stack, context;
};

struct hf_bpf_total {
    __u64 count, bytes; /* recorded */
    __u64 name;         /* of the context, as struct hf_bpf_context */
};

/* A stack that was not seen before. Bytes from the page of sp on; the record has as many as it
 * needs. */
struct hf_bpf_stack {
    __u64 hash;
    __u64 ip, sp, bp;
    __u32 tid;
    __u32 pages; /* that could be read */
    __u8 bytes[HF_BPF_STACK_PAGES * HF_BPF_PAGE_BYTES];
};
#define HF_BPF_STACK_BYTES(pages)                                                                  \
    (__builtin_offsetof(struct hf_bpf_stack, bytes) + (pages)*HF_BPF_PAGE_BYTES)

enum hf_bpf_count {
    HF_BPF_COUNT_ALLOCS,
    HF_BPF_COUNT_FREES,
    HF_BPF_COUNT_UNKNOWN_FREES,
    HF_BPF_COUNT_OVERWRITTEN,
    HF_BPF_COUNT_UNPAIRED_ENTRIES,
    HF_BPF_COUNT_SKIPPED,
    HF_BPF_COUNT_LOST_BLOCKS,   /* no room for the block */
    HF_BPF_COUNT_LOST_CALLS,    /* no room for the call that is open */
    HF_BPF_COUNT_LOST_CONTEXTS, /* no room for a context's generation: its reset is lost */
    HF_BPF_COUNT_LOST_STACKS,   /* no room in the ring, or in the map of totals */
    HF_BPF_COUNT_STOPS,         /* entries of all functions */
    HF_BPF_COUNT_BIRTH_STOPS,   /* of them, of those that make blocks or contexts */
    HF_BPF_COUNTS
};

/* Of each processor, its own. */
struct hf_bpf_processor {
    __s64 left; /* bytes until the next sample */
    __u32 gap;  /* the next of the map of gaps */
    __u32 reserved;
    __u64 counts[HF_BPF_COUNTS];
    __u64 words[HF_BPF_HASHED_WORDS]; /* scratch */
};

#endif
