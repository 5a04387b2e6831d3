#include "render/value_words.h"

#include "base/attr.h"
#include "profile/samples.h"

const char *hf_value_words(struct hf_text type_name)
{
    static const struct {
        const char *type, *words;
    } values[] = {
        {"inuse_space", " in use"},
        {"inuse_objects", " objects in use"},
        {"alloc_space", " allocated, freed or not"},
        {"alloc_objects", " objects allocated, freed or not"},
        {HF_START_SPACE, " at the start"},
        {HF_START_OBJECTS, " objects at the start"},
        {HF_PEAK_SPACE, " at the peak"},
        {HF_PEAK_OBJECTS, " objects at the peak"},
        {HF_TEMPORARY_OBJECTS, " objects freed at once"},
        {HF_RESIDENT_SPACE, " resident"},
    };
    for (size_t i = 0; i < HF_COUNT(values); i++) {
        if (hf_text_is(type_name, values[i].type))
            return values[i].words;
    }
    return NULL;
}
