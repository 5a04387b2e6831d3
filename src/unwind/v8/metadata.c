#include "unwind/v8/metadata.h"

#include "base/text.h"

#include <string.h>

#define NOWHERE UINT16_MAX /* it is only checked */

/* What is to be known: where it goes, and what it can be. */
struct v8_symbol {
    const char *name;
    uint16_t place; /* in struct hf_v8 */
    int32_t min, max, unit;
};

#define FIELD(name, field, unit)                                                                   \
    {                                                                                              \
        "v8dbg_" name, offsetof(struct hf_v8, field), unit, HF_V8_OFFSET_MAX, unit                 \
    }
#define TYPE(name, field)                                                                          \
    {                                                                                              \
        "v8dbg_type_" name, offsetof(struct hf_v8, field), 128, 32767, 1                           \
    }
#define VALUE(name, value)                                                                         \
    {                                                                                              \
        "v8dbg_" name, NOWHERE, value, value, 1                                                    \
    }

static const struct v8_symbol v8_symbols[HF_V8_SYMBOLS] = {
    {"v8dbg_off_fp_function", offsetof(struct hf_v8, fp_function), -256, -8, 8},
    {"v8dbg_off_fp_context_or_frame_type", offsetof(struct hf_v8, fp_context), -256, -8, 8},
    TYPE("JSFunction__JS_FUNCTION_TYPE", type_function),
    TYPE("SharedFunctionInfo__SHARED_FUNCTION_INFO_TYPE", type_shared),
    TYPE("Script__SCRIPT_TYPE", type_script),
    TYPE("ScopeInfo__SCOPE_INFO_TYPE", type_scope),
    FIELD("class_Map__instance_type__uint16_t", map_type, 2),
    FIELD("class_JSFunction__shared__SharedFunctionInfo", function_shared, 8),
    FIELD("class_SharedFunctionInfo__name_or_scope_info__Object", shared_name, 8),
    FIELD("class_SharedFunctionInfo__script_or_debug_info__HeapObject", shared_script, 8),
    FIELD("class_Script__name__Object", script_name, 8),
    FIELD("class_Script__source__Object", script_source, 8),
    FIELD("class_String__length__int32_t", string_length, 4),
    FIELD("class_SeqOneByteString__chars__char", string_one_byte, 4),
    FIELD("class_SeqTwoByteString__chars__char", string_two_byte, 4),
    FIELD("class_ExternalString__resource__Object", string_external, 8),
    FIELD("class_ConsString__first__String", cons_first, 8),
    FIELD("class_ConsString__second__String", cons_second, 8),
    FIELD("class_SlicedString__parent__String", slice_parent, 8),
    FIELD("class_SlicedString__offset__SMI", slice_start, 8),
    FIELD("class_ThinString__actual__String", thin_actual, 8),
    VALUE("parent_ScopeInfo__HeapObject", 0), /* it has no length of its own */
    VALUE("scopeinfo_idx_ncontextlocals", 2),
    VALUE("TaggedSize", 8),
    VALUE("HeapObjectTag", HF_V8_TAG),
    VALUE("SmiShiftSize", 31),
    VALUE("SmiValueShift", 1),
    VALUE("FirstNonstringType", 128),
    VALUE("StringRepresentationMask", 7),
    VALUE("StringEncodingMask", 8),
    VALUE("ExternalStringTag", 2),
    VALUE("SlicedStringTag", 3),
    VALUE("ThinStringTag", 5),
};

bool hf_v8_is_known(uint32_t version)
{
    static const uint32_t known[] = {0x0a02, 0x0b03};
    for (size_t i = 0; i < HF_COUNT(known); i++) {
        if (known[i] == version)
            return true;
    }
    return false;
}

const char *hf_v8_symbol_name(size_t i)
{
    return v8_symbols[i].name;
}

bool hf_v8_set(struct hf_v8 *v8, size_t i, int32_t value)
{
    const struct v8_symbol *symbol = &v8_symbols[i];
    if (value < symbol->min || value > symbol->max || value % symbol->unit != 0)
        return false;
    if (symbol->place != NOWHERE)
        memcpy((uint8_t *)v8 + symbol->place, &value, sizeof value);
    return true;
}
