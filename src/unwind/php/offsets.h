/*
 * offsets.h: where PHP keeps what leads to the frames of the thread that runs it, version by
 * version.
 *
 * Sources: Zend/zend_globals.h, zend_compile.h, zend_types.h, zend.h and zend_modules.h of each
 * version, as the compiler lays them out on x86-64; builds for one thread (NTS) without debugging.
 * A layout holds for all releases of its minor version; there is one for each that was run
 * (docs/agent.md). It is known by the size of executor_globals, which grows with most versions, and
 * proved by the number of the module interface, which every module of the process says.
 */
#ifndef HF_UNWIND_PHP_OFFSETS_H
#define HF_UNWIND_PHP_OFFSETS_H

#include "unwind/interpreted/memory.h"

#define HF_PHP_CALL_BYTES 56
#define HF_PHP_FUNCTION_BYTES 160
#define HF_PHP_CODE_LINE_BYTES 32 /* of a zend_op */
#define HF_PHP_CLASS_BYTES 16

/* Offsets in bytes, unless something else is said. */
struct hf_php_layout {
    uint32_t version;       /* major << 8 | minor */
    uint32_t api;           /* ZEND_MODULE_API_NO, e.g. 20220829 */
    uint32_t globals_bytes; /* of zend_executor_globals */
    /* zend_executor_globals */
    uint16_t current, before_exception;
    /* HashTable and Bucket of the modules, and zend_module_entry */
    uint16_t table_data, table_used, module_api, module_debug, module_threads;
    /* zend_execute_data; `call_info` has `call_is_top` if the executor was entered for it */
    uint16_t call_code, call_function, call_info, call_previous;
    uint32_t call_is_top, call_is_code; /* the latter: of a file or of eval, no function */
    /* zend_function; `codes` is an array of `code_count` (u32) zend_op */
    uint16_t function_name, function_scope, function_codes, function_code_count, function_file;
    uint16_t code_line;  /* zend_op: u32 */
    uint16_t class_name; /* zend_class_entry */
    /* zend_string */
    uint16_t string_type, string_length, string_bytes;
};

/* That of the version whose executor_globals are so large; NULL: it was never run. */
const struct hf_php_layout *hf_php_layout_find(uint64_t globals_bytes);

/* True if the process whose table of modules lies at `modules` has one of this version, built for
 * one thread and without debugging. */
HF_MUST_CHECK bool hf_php_layout_fits(const struct hf_php_layout *layout,
    const struct hf_interpreted_memory *memory, uint64_t modules);

#endif
