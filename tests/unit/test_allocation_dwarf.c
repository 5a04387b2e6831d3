/*
 * Every allocation fails once while addresses are looked up in debug information, by a walk through
 * its unit, by the unit's index, and when it is asked again: out of memory is told, as an error or
 * as damage, or each address has the names, calls and lines that it should have.
 */
#include "dwarf/lookup/resolver.h"
#include "failing_malloc.h"
#include "inlined_unit.h"

#if HF_SANITIZED

SKIPPED_FOR_SANITIZER(each_failure_is_told)

#else

#define RUNS 3

struct asked {
    struct hf_dwarf_sections sections;
    uint64_t addresses[HF_COUNT(inlined_places)];
    struct hf_resolver_run how;
};

/* Not counted. */
static void check_places(const struct hf_dwarf_result *result)
{
    struct hf_out text = {0};
    is_counting = false;
    for (size_t i = 0; i < HF_COUNT(inlined_places); i++) {
        const struct hf_dwarf_place *place = &result->places[i];
        for (size_t f = 0; f < place->count; f++) {
            hf_out_text(&text, place->frames[f].name);
            hf_out_printf(&text, ":%u ", place->frames[f].line);
        }
        check_out(&text, inlined_places[i].frames);
    }
    hf_out_done(&text);
    is_counting = true;
}

static enum hf_status resolve(const struct asked *asked, struct hf_error *err)
{
    struct hf_resolver *resolver;
    enum hf_status status = hf_resolver_new(&asked->sections, &resolver, err);
    if (status != HF_OK)
        return status;
    for (int run = 0; status == HF_OK && run < RUNS; run++) {
        struct hf_dwarf_result result;
        status = hf_resolver_run(
            resolver, asked->addresses, HF_COUNT(asked->addresses), &asked->how, &result, err);
        if (status == HF_OK && result.damage.units != 0) {
            *err = result.damage.first;
            status = err->status;
        } else if (status == HF_OK) {
            check_places(&result);
        }
        hf_dwarf_result_done(&result);
    }
    hf_resolver_free(resolver);
    return status;
}

static void each_failure_is_told(void **state)
{
    (void)state;
    struct hf_out info = make_inlined_unit(), lines = make_inlined_lines();
    struct asked asked = {.sections = {.name = "file",
                              .info = hf_out_view(&info),
                              .abbrev = {inlined_abbrevs, sizeof inlined_abbrevs},
                              .line = hf_out_view(&lines)}};
    for (size_t i = 0; i < HF_COUNT(inlined_places); i++)
        asked.addresses[i] = inlined_places[i].address;
    for (int how = 0; how < 4; how++) {
        asked.how = (struct hf_resolver_run){
            .threads = 1, .expects_more = how % 2 != 0, .has_columns = how >= 2};
        for (size_t n = 0;; n++) {
            struct hf_error err = {0};
            char name[64];
            (void)snprintf(name, sizeof name, "way %d, failing allocation %zu", how, n);
            check_case = name;
            failing_begin(n);
            enum hf_status status = resolve(&asked, &err);
            is_counting = false;
            if (live != 0)
                fail_msg("%s leaks %ld blocks", name, live);
            if (status != HF_OK && (status != HF_ERR_MEMORY || !has_failed))
                fail_msg("%s gives status %d: %s", name, status, err.text);
            if (!has_failed)
                break;
        }
    }
    check_case = "";
    hf_out_done(&lines);
    hf_out_done(&info);
}

#endif

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_failure_is_told)};
    return cmocka_run_group_tests_name("allocation_dwarf", tests, NULL, NULL);
}
