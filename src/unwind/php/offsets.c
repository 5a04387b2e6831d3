#include "unwind/php/offsets.h"

#include "base/text.h"

static const struct hf_php_layout php_layouts[] = {
    {
        .version = 0x0802,
        .api = 20220829,
        .globals_bytes = 1800,
        .current = 488,
        .before_exception = 880,
        .table_data = 16,
        .table_used = 24,
        .module_api = 4,
        .module_debug = 8,
        .module_threads = 9,
        .call_code = 0,
        .call_function = 24,
        .call_info = 40, /* u1.type_info of This */
        .call_previous = 48,
        .call_is_top = 1u << 17,  /* ZEND_CALL_TOP */
        .call_is_code = 1u << 16, /* ZEND_CALL_CODE */
        .function_name = 8,
        .function_scope = 16,
        .function_codes = 88,
        .function_code_count = 80,
        .function_file = 152,
        .code_line = 24,
        .class_name = 8,
        .string_type = 4,
        .string_length = 16,
        .string_bytes = 24,
    },
};

const struct hf_php_layout *hf_php_layout_find(uint64_t globals_bytes)
{
    for (size_t i = 0; i < HF_COUNT(php_layouts); i++) {
        if (php_layouts[i].globals_bytes == globals_bytes)
            return &php_layouts[i];
    }
    return NULL;
}

bool hf_php_layout_fits(const struct hf_php_layout *layout,
    const struct hf_interpreted_memory *memory, uint64_t modules)
{
    uint8_t table[32], module[16];
    uint64_t first;
    return hf_interpreted_copy(memory, modules, table, sizeof table) &&
           hf_interpreted_u32(table, layout->table_used) != 0 &&
           hf_interpreted_copy(
               memory, hf_interpreted_u64(table, layout->table_data), &first, sizeof first) &&
           hf_interpreted_copy(memory, first, module, sizeof module) &&
           hf_interpreted_u32(module, layout->module_api) == layout->api &&
           module[layout->module_debug] == 0 && module[layout->module_threads] == 0;
}
