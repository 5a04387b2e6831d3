/*
 * limits.h: every limit on what outside input may make us do, with its unit and its reason.
 *
 * A limit that is hit is an error or a note that names it; nothing is dropped silently. Values are
 * far above what real programs show and far below what hurts a machine.
 *
 * Each has its test in tests/e2e/limits.py, which uses a build with the small values of
 * tests/limits_tight.h.
 *
 * Example:
 *
 *     uint64_t steps = 5;
 *     if (steps > HF_LIMIT_REGEX_TOTAL)
 *         return hf_error_set(err, HF_ERR_LIMIT, "takes too long (HF_LIMIT_REGEX_TOTAL)");
 */
#ifndef HF_BASE_LIMITS_H
#define HF_BASE_LIMITS_H

/* The budget of one input (base/budget.h), and more of it for each byte given */
#define HF_LIMIT_BUDGET_MEMORY (64u << 20) /* bytes of memory */
#define HF_LIMIT_BUDGET_MEMORY_RATIO 256   /* sound inputs: below half, see tests/e2e/budget.py */
#define HF_LIMIT_BUDGET_STEPS 500000000u   /* steps of the machine: 0.2 s */
#define HF_LIMIT_BUDGET_STEPS_RATIO 20000

/* Profiles */
#define HF_LIMIT_LOAD_LINES (1u << 20)  /* counts of trend --per: two years of minutes */
#define HF_LIMIT_LINE_BYTES (64u << 20) /* one text line; real: 5 MB names, 1 MB stacks */
#define HF_LIMIT_STACK_FRAMES 200000u   /* frames of one stack; deeper is cut at the root */
#define HF_LIMIT_TRACE_FRAMES 4096u     /* of a stack made of smaller ones; heaptrack: 64 calls */
#define HF_LIMIT_STACK_NODES 250000000u /* distinct (parent, frame) pairs of a profile */
#define HF_LIMIT_SAMPLES 250000000u     /* (stack, thread) pairs of a profile */
#define HF_LIMIT_MODULES 65536u         /* mapped files of one profile */
#define HF_LIMIT_MAPPINGS 262144u       /* lines of files in one map; Linux's default is 65,530 */
#define HF_LIMIT_THREADS 1000000u       /* threads of one profile */
#define HF_LIMIT_PROCESSES 65536u       /* processes whose reports one text holds */
#define HF_LIMIT_JSON_BYTES (1u << 30)  /* a profile that is JSON; it needs some 20 times of it */
#define HF_LIMIT_NOTES 64u              /* notes a profile keeps; the rest is counted */
#define HF_LIMIT_UNPACKED (64ull << 30) /* a whole file after decompression: 5 minutes to read */
#define HF_LIMIT_UNPACK_WINDOW_LOG 27   /* what a zstd file may ask us to keep: 128 MiB, its -22 */
#define HF_LIMIT_PPROF_BYTES (1u << 30) /* a profile.proto, which is held whole */
#define HF_LIMIT_PPROF_RECORDS (16u << 20)  /* its strings, functions, locations or mappings */
#define HF_LIMIT_PPROF_PATTERN 16384u       /* bytes of its drop_frames or keep_frames */
#define HF_LIMIT_PPROF_DROP_NAMES 65536u    /* functions that drop_frames is tried on: 10 s */
#define HF_LIMIT_BUNDLE_BYTES (1u << 30)    /* a bundle, which is held whole */
#define HF_LIMIT_BUNDLE_RECORDS (16u << 20) /* its strings, frames, modules or threads */
#define HF_LIMIT_LIVE_BYTES (64ull << 30)   /* a live table; that of 10 million blocks: 1 GiB */
#define HF_LIMIT_LEVELS 1000000u            /* stacks of a profile in a store; real: 5,000 */
#define HF_LIMIT_BATCH_BYTES (256u << 20)   /* profiles that go into a store at once; real: 15 MB */
#define HF_LIMIT_ROLLUP_ROWS (16u << 20)    /* of a process in a store; 5,000 stacks a month: 4 M */
#define HF_LIMIT_FLEET_INSTANCES (1u << 20) /* of a store, in one question; 1,000 nodes a month */
#define HF_LIMIT_FLEET_STACKS (4u << 20)    /* of a store; 50 services of 5,000: 250,000 */
#define HF_LIMIT_FLEET_CELLS (8u << 20)     /* places on nodes; 1,000 nodes with 2,000 each: 2 M */
#define HF_LIMIT_STRING_BYTES (64u << 20)   /* one name, path or other text; real: 5 MB */

/* Pictures */
#define HF_LIMIT_SVG_FRAMES 131072u /* frames that an SVG embeds: half a megabyte */

/* The source in a page */
#define HF_LIMIT_SOURCE_BYTES (256u << 10)     /* as JSON; compressed, it is a fifth */
#define HF_LIMIT_SOURCE_FILE_BYTES (16u << 20) /* one file; sqlite3.c, which is large: 9 MB */

/* The instructions in a page */
#define HF_LIMIT_CODE_BYTES (256u << 10)           /* as JSON; compressed, it is a fifth */
#define HF_LIMIT_CODE_FUNCTION_BYTES (1024u << 10) /* one function; sqlite3VdbeExec: 40 KB */

/* ELF and DWARF */
#define HF_LIMIT_SECTIONS 65536u         /* section headers read of one file */
#define HF_LIMIT_SEGMENTS 4096u          /* program headers read of one file */
#define HF_LIMIT_SYMBOL_STEPS (1u << 28) /* symbols and their addresses in one image: 3 s */
#define HF_LIMIT_GO_STEPS (1u << 30)     /* entries of .gopclntab for one look-up: 5 s */
#define HF_LIMIT_NOTE_BYTES (1u << 20)   /* one note section or segment */
#define HF_LIMIT_INFLATED (2ull << 30)   /* one section after decompression */
#define HF_LIMIT_INFLATE_RATIO 4096u     /* declared size against compressed size */
#define HF_LIMIT_XZ_MEMORY (128u << 20)  /* to decompress .gnu_debugdata; xz -9 needs 65 MiB */
#define HF_LIMIT_DWARF_EFFORT (1u << 28) /* bytes read and kept, whatever the size of the file */
#define HF_LIMIT_DWARF_EFFORT_RATIO 256  /* and for each byte of its debug information; real: 4 */
#define HF_LIMIT_RESIDENT_BYTES                                                                    \
    (256u << 20) /* indexes, names and paths kept of a file between look-ups; the oldest go */
#define HF_LIMIT_CALL_GRAPH_BYTES                                                                  \
    (64u << 20) /* .debug_info in which callers are looked for (dwarf/call_graph.h): 0.5 s */
#define HF_LIMIT_UNITS (16u << 20)       /* units of one .debug_info */
#define HF_LIMIT_ABBREVS 1000000u        /* abbreviations of one table */
#define HF_LIMIT_DIE_ATTRS 512           /* attributes of one abbreviation; real: below 64 */
#define HF_LIMIT_ABBREV_ATTRS 8000000u   /* attribute specifications of one table */
#define HF_LIMIT_DIE_DEPTH 512           /* nesting of DIEs walked */
#define HF_LIMIT_ORIGIN_DEPTH 16         /* abstract_origin / specification chain */
#define HF_LIMIT_INLINE_DEPTH 512        /* inlined calls at one address */
#define HF_LIMIT_LINE_FILES (4u << 20)   /* files or directories of one line table */
#define HF_LIMIT_SPLIT_FILES 30000u      /* .dwo files open at once; Linux maps 65,530 */
#define HF_LIMIT_PACKAGE_STEPS 1024u     /* to find a unit in a .dwp; sound ones: below 100 */
#define HF_LIMIT_DEMANGLE_INPUT 16384u   /* bytes of a mangled name; longer stays mangled */
#define HF_LIMIT_DEMANGLE_DEEP 4096u     /* bytes of a C++ name read at any depth: 2 MB of stack */
#define HF_LIMIT_DEMANGLE_OUTPUT 131072u /* bytes of a demangled name; real: 80,000 */
#define HF_LIMIT_DEMANGLE_STEPS (1u << 24) /* of the machine for one name: 5 ms; real: 100,000 */

/* Code made at run time */
#define HF_LIMIT_PERF_MAP_BYTES (256u << 20)  /* a JIT's names for it; node's: 10 MB */
#define HF_LIMIT_JIT_OBJECTS 4096u            /* of a JIT's list for GDB; PostgreSQL: below 10 */
#define HF_LIMIT_JIT_OBJECT_BYTES (64u << 20) /* of those together, for one look at the list */
#define HF_LIMIT_JIT_NAME_BYTES (4u << 20)    /* of all names that were seen in such a list */

/* The cache of symbols */
#define HF_LIMIT_CACHE_BYTES (512ull << 20) /* all entries; the oldest go without a word */
#define HF_LIMIT_CACHE_ENTRY_BYTES                                                                 \
    (128u << 20) /* one; of 6,000 addresses of a large program: 3 MB */

/* Processes that run */
#define HF_LIMIT_JEMALLOC_LEAF_PAGES (1u << 20) /* of its tables; one for 2 MiB of heap */
#define HF_LIMIT_TCMALLOC_LEAF_PAGES (1u << 20) /* of its page map; one for 4 MiB of heap */
#define HF_LIMIT_CONTEXTS 1000000u       /* memory contexts of PostgreSQL; real: below 10,000 */
#define HF_LIMIT_CONTEXT_BLOCKS 1000000u /* of one context, where it does not count their bytes */
#define HF_LIMIT_MEMBERS 1024u           /* processes of one tree or cgroup that are looked at */
#define HF_LIMIT_FOLLOWED 32u            /* of them that are followed, 12 MiB of the kernel each */
#define HF_LIMIT_SECCOMP_FILTERS 128u    /* of a thread; real: below 30, which systemd has */
#define HF_LIMIT_PROBES 1024u            /* and events of other kinds, put in at once; real: 50 */
#define HF_LIMIT_CHOSEN_CONTEXTS 128u /* named in a filter; the kernel takes one of 4,095 bytes */

/* Options of an allocator */
#define HF_LIMIT_LIBRARIES 4096u   /* libraries that a program needs; real: below 500 */
#define HF_LIMIT_CONF_BYTES 16384u /* bytes of one MALLOC_CONF; real: below 1,000 */
#define HF_LIMIT_SPEC_BYTES 65536u /* a file of probe specs; those that come along: below 5,000 */

/* The worker that reads without rights (os/process/rights.h): a net below all other limits */
#define HF_LIMIT_WORKER_MEMORY_PER_MILLE 750u /* of the machine's memory */
#define HF_LIMIT_WORKER_SECONDS 3600u         /* of processor time; 100 GB of text: 800 */
#define HF_LIMIT_ORDER_SECONDS                                                                     \
    600u /* for a dump of `run` or `watch`, which wait for it meanwhile */

/* The network */
#define HF_LIMIT_HTTP_BODY (2ull << 30) /* bytes of one fetched profile */
#define HF_LIMIT_HTTP_SECONDS 600L      /* all asked for one file; big heaps take the server long */
#define HF_LIMIT_HTTP_SLOW_BYTES 1000L  /* a second, from the first byte of an answer on; ... */
#define HF_LIMIT_HTTP_SLOW_SECONDS 30L  /* ... on average of so long. An old modem has 5,000 */
#define HF_LIMIT_HTTP_CONNECT_SECONDS 10L
#define HF_LIMIT_HTTP_REDIRECTS 5L
#define HF_LIMIT_HTTP_JSON_BYTES (64u << 10) /* an answer read as JSON; errors are short */

/* The server */
#define HF_LIMIT_SERVED_PROCESSES 512u     /* processes that it shows; each is an open file */
#define HF_LIMIT_SERVED_BYTES (256u << 20) /* one page or profile, in memory; real: 1 MB */
#define HF_LIMIT_SERVED_SECONDS 120u       /* to make it; of a large program's names: 10 s */
#define HF_LIMIT_CLIENTS 64u               /* connections at once; more wait */

/* Regular expressions of the user on names of the input (PCRE2 match limits, per name) */
#define HF_LIMIT_REGEX_MATCH 100000u
#define HF_LIMIT_REGEX_TOTAL 20000000u /* of all names that need many steps: 0.1 s */
#define HF_LIMIT_REGEX_HEAP_KIB 16384u /* where PCRE2 makes no machine code of a pattern */

#ifdef HF_LIMITS_OVERRIDE
#include HF_LIMITS_OVERRIDE
#endif

#endif
