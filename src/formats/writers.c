#include "formats/writers.h"

#include "base/text.h"

#define WRITER(name) &hf_writer_##name,
const struct hf_writer *const hf_writers[] = {HF_WRITERS(WRITER) NULL};
#undef WRITER

const struct hf_writer *hf_writer_named(const char *name)
{
    for (size_t i = 0; hf_writers[i] != NULL; i++) {
        if (strcmp(hf_writers[i]->name, name) == 0)
            return hf_writers[i];
    }
    for (size_t i = 0; hf_writers[i] != NULL; i++) {
        for (size_t e = 0; e < HF_WRITER_ENDINGS_MAX; e++) {
            const char *ending = hf_writers[i]->endings[e];
            if (ending != NULL && strcmp(ending + 1, name) == 0)
                return hf_writers[i];
        }
    }
    return NULL;
}

const struct hf_writer *hf_writer_of_path(const char *path)
{
    const struct hf_writer *best = NULL;
    size_t best_size = 0;
    for (size_t i = 0; hf_writers[i] != NULL; i++) {
        for (size_t e = 0; e < HF_WRITER_ENDINGS_MAX; e++) {
            const char *ending = hf_writers[i]->endings[e];
            if (ending == NULL || !hf_text_ends(hf_text_of(path), ending) ||
                strlen(ending) <= best_size)
                continue;
            best = hf_writers[i];
            best_size = strlen(ending);
        }
    }
    return best;
}

void hf_writers_list(struct hf_out *out)
{
    for (size_t i = 0; hf_writers[i] != NULL; i++) {
        hf_out_printf(out, "%s%s (", i != 0 ? ", " : "", hf_writers[i]->name);
        for (size_t e = 0; e < HF_WRITER_ENDINGS_MAX && hf_writers[i]->endings[e] != NULL; e++)
            hf_out_printf(out, "%s%s", e != 0 ? " " : "", hf_writers[i]->endings[e]);
        hf_out_char(out, ')');
    }
}
