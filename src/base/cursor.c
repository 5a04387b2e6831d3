#include "base/cursor.h"

enum hf_status hf_cursor_check(const struct hf_cursor *c, const char *what, struct hf_error *err)
{
    if (!hf_cursor_failed(c))
        return HF_OK;
    hf_error_set(err, HF_ERR_INPUT, "ends or is damaged in the middle of %s", what);
    hf_error_at_offset(err, c->name, (uint64_t)(c->failure - c->start));
    return HF_ERR_INPUT;
}
