#include "answer/operand.h"

#include "base/strings/num.h"
#include "capture/mark.h"
#include "net/http.h"
#include "os/file.h"
#include "os/path.h"

#include <string.h>

bool hf_operand_is_url(const char *name)
{
    return hf_http_is_url(name);
}

const char *hf_operand_shown(const char *name)
{
    if (!hf_operand_is_url(name))
        return name;
    struct hf_text rest = hf_text_of(strstr(name, "://") + 3);
    struct hf_text host = hf_text_first(rest, hf_text_find(rest, '/'));
    size_t at = hf_text_find_last(host, '@');
    return rest.data + (at != host.size ? at + 1 : 0);
}

bool hf_operand_is_pid(const char *name, uint32_t *out_pid)
{
    uint64_t pid;
    if (!hf_num_u64(hf_text_of(name), &pid) || pid == 0 || pid > INT32_MAX)
        return false;
    *out_pid = (uint32_t)pid;
    return true;
}

bool hf_operand_is_process(const char *name, uint32_t *out_pid)
{
    return hf_operand_is_pid(name, out_pid) && !hf_path_exists(name);
}

enum hf_status hf_operand_table(struct hf_found_table *table, const char *name, const char *folder,
    uint32_t *out_pid, struct hf_error *err)
{
    if (hf_operand_is_process(name, out_pid))
        return hf_found_table_of(table, *out_pid, folder, err);
    enum hf_status status = hf_found_table_open(table, name, err);
    if (status == HF_OK)
        *out_pid = table->head.pid;
    return status;
}

enum hf_status hf_operand_find_mark(const char *option, const char *mark, const char *const *names,
    size_t count, char out_path[PATH_MAX], struct hf_error *err)
{
    const char *owner = NULL;
    struct hf_found_table table;
    uint32_t pid;
    if (hf_file_is_readable(mark) && hf_path_format(out_path, "%s", mark))
        return HF_OK;
    for (size_t i = 0; i < count; i++) {
        bool has_table = hf_operand_is_process(names[i], &pid);
        if (!has_table && hf_found_table_open(&table, names[i], NULL) == HF_OK) {
            has_table = true;
            hf_found_table_close(&table);
        }
        if (has_table && owner != NULL)
            return hf_error_set(err, HF_ERR_USAGE,
                "%s: expected one process or live table, found %s and %s", option, owner, names[i]);
        owner = has_table ? names[i] : owner;
    }
    if (owner == NULL)
        return hf_error_set(err, HF_ERR_USAGE,
            "%s: expected a file, or a mark together with a PID; found '%s', which is not a "
            "file, and no PID",
            option, mark);
    enum hf_status status = hf_operand_table(&table, owner, NULL, &pid, err);
    if (status != HF_OK)
        return status;
    status = hf_mark_find(&table, mark, out_path, err);
    if (status != HF_OK)
        hf_error_context(err, "%s", option);
    hf_found_table_close(&table);
    return status;
}
