#include "base/strings/base64.h"

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/* One group of up to three bytes as four digits. */
static void put_group(struct hf_out *to, const unsigned char bytes[3], size_t count)
{
    char group[4] = {
        digits[bytes[0] >> 2],
        digits[(bytes[0] & 3) << 4 | bytes[1] >> 4],
        count > 1 ? digits[(bytes[1] & 15) << 2 | bytes[2] >> 6] : '=',
        count > 2 ? digits[bytes[2] & 63] : '=',
    };
    hf_out_bytes(to, group, sizeof group);
}

static enum hf_status encode(void *context, const char *data, size_t size, struct hf_error *err)
{
    struct hf_base64 *base64 = context;
    for (size_t i = 0; i < size; i++) {
        base64->kept[base64->kept_count++] = (unsigned char)data[i];
        if (base64->kept_count == 3) {
            put_group(base64->to, base64->kept, 3);
            base64->kept_count = 0;
        }
    }
    if (base64->to->error.status != HF_OK && err != NULL)
        *err = base64->to->error;
    return base64->to->error.status;
}

void hf_base64_init(struct hf_base64 *base64, struct hf_out *to)
{
    *base64 = (struct hf_base64){.to = to};
    base64->bytes = (struct hf_out){.flush = encode, .context = base64};
}

enum hf_status hf_base64_finish(struct hf_base64 *base64, struct hf_error *err)
{
    enum hf_status status = hf_out_finish(&base64->bytes, err);
    if (status != HF_OK || base64->kept_count == 0)
        return status;
    for (size_t i = base64->kept_count; i < 3; i++)
        base64->kept[i] = 0;
    put_group(base64->to, base64->kept, base64->kept_count);
    base64->kept_count = 0;
    return HF_OK;
}

void hf_base64_done(struct hf_base64 *base64)
{
    hf_out_done(&base64->bytes);
}
