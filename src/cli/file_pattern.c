#include "cli/file_pattern.h"

#include "base/strings/out.h"

#include <string.h>
#include <time.h>
#include <unistd.h>

enum hf_status hf_file_pattern_check(const char *pattern, struct hf_error *err)
{
    for (const char *at = strchr(pattern, '%'); at != NULL; at = strchr(at + 2, '%')) {
        if (at[1] == '\0' || strchr("pehtn%", at[1]) == NULL)
            return hf_error_set(err, HF_ERR_USAGE,
                "-o: expected %%p, %%e, %%h, %%t, %%n or %%%% in the name, found '%.2s'", at);
    }
    return HF_OK;
}

bool hf_file_pattern_has(const char *pattern, char letter)
{
    for (const char *at = strchr(pattern, '%'); at != NULL; at = strchr(at + 2, '%')) {
        if (at[1] == letter)
            return true;
    }
    return false;
}

/* A name of the system: nothing of it may lead to another folder. */
static void file_pattern_put_name(struct hf_out *out, const char *name)
{
    for (; *name != '\0'; name++)
        hf_out_char(out, *name == '/' ? '_' : *name);
}

static void file_pattern_put(struct hf_out *out, char what, const struct hf_file_name *name)
{
    char host[HOST_NAME_MAX + 1] = "";
    switch (what) {
    case 'p': hf_out_u64(out, name->pid); break;
    case 'e': file_pattern_put_name(out, name->program); break;
    case 'h':
        (void)gethostname(host, sizeof host - 1);
        file_pattern_put_name(out, host);
        break;
    case 't': hf_out_u64(out, (uint64_t)time(NULL)); break;
    case 'n': hf_out_u64(out, name->number); break;
    default: hf_out_char(out, what); break;
    }
}

enum hf_status hf_file_pattern_expand(const char *pattern, const struct hf_file_name *name,
    char out_path[PATH_MAX], struct hf_error *err)
{
    struct hf_out out = {0};
    for (const char *at = pattern; *at != '\0'; at++) {
        if (*at == '%')
            file_pattern_put(&out, *++at, name);
        else
            hf_out_char(&out, *at);
    }
    hf_out_char(&out, '\0');
    enum hf_status status = hf_out_finish(&out, err);
    if (status == HF_OK && out.size > PATH_MAX)
        status = hf_error_set(err, HF_ERR_SYSTEM, "-o: the file name is too long after expansion");
    if (status == HF_OK)
        memcpy(out_path, out.data, out.size);
    hf_out_done(&out);
    return status;
}
