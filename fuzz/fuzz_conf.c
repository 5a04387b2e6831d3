/* MALLOC_CONF: the check agrees with the parser, and the repaired line needs no repair. */
#include "conf/check.h"
#include "conf/explain.h"
#include "fuzz.h"
#include "tell.h"

#include <stdlib.h>

static void describe(const struct hf_conf_check *check, struct hf_text line)
{
    struct hf_out out = {0};
    hf_conf_describe(&out, check);
    hf_conf_dumps(&out, check);
    const struct hf_conf_option *option =
        hf_conf_option_find(hf_text_first(line, hf_text_find(line, ':')));
    if (option != NULL)
        hf_conf_explain(&out, option);
    fuzz_tell_long("described", hf_out_view(&out));
    for (size_t i = 0; i < check->count; i++) {
        fuzz_tell("%s at %d", check->findings[i].is_fault ? "fault" : "finding",
            (int)check->findings[i].column);
        fuzz_tell_named("", hf_text_of(check->findings[i].text));
    }
    fuzz_tell_named("fixed", hf_out_view(&check->fixed));
    hf_out_done(&out);
}

/* What was repaired is taken by jemalloc as it is, and checks as itself. */
static void check_again(const struct hf_conf_check *first)
{
    struct hf_error err;
    struct hf_conf_check second = {.target = first->target};
    struct hf_text fixed = hf_out_view(&first->fixed);
    if (hf_conf_check_line(&second, fixed, &err) != HF_OK) {
        if (err.status != HF_ERR_LIMIT)
            abort();
    } else if (second.fault_count != 0 || !hf_text_equal(hf_out_view(&second.fixed), fixed)) {
        abort();
    }
    hf_conf_check_done(&second);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct hf_error err;
    struct hf_text line = {(const char *)data, size};
    struct hf_conf_check check = {0};
    if (size != 0 && data[0] < 4) { /* a version, and whether profiling is built in */
        static const uint32_t versions[] = {
            0, HF_CONF_VERSION(4, 5, 0), HF_CONF_VERSION(5, 1, 0), HF_CONF_VERSION(5, 3, 1)};
        check.target = (struct hf_conf_target){
            .is_known = true, .has_profiling = true, .version = versions[data[0]]};
        line = hf_text_from(line, 1);
    }
    line = hf_text_first(line, hf_text_find(line, '\0'));
    enum hf_status status = hf_conf_check_line(&check, line, &err);
    fuzz_tell_error(status, &err);
    if (status != HF_OK) {
        if (status != HF_ERR_LIMIT)
            abort();
    } else {
        bool ends_with_comma = line.size != 0 && line.data[line.size - 1] == ',';
        bool depends_on_the_build = false;
        for (size_t i = 0; i < check.count; i++)
            depends_on_the_build = depends_on_the_build ||
                                   strstr(check.findings[i].text, "works only in") != NULL ||
                                   strstr(check.findings[i].text, "after 5.3.0") != NULL;
        if (check.fault_count == 0 && !ends_with_comma && !depends_on_the_build &&
            hf_conf_complains(&check.target, line))
            abort();
        check_again(&check);
        describe(&check, line);
    }
    hf_conf_check_done(&check);
    return 0;
}
