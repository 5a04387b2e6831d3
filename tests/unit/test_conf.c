/*
 * MALLOC_CONF: the rules of jemalloc's reader, value by value, and every prefix and single-byte
 * change of a line. tests/e2e/conf.py holds the same to the real jemalloc.
 */
#include "check.h"
#include "conf/check.h"
#include "conf/repair.h"

static void values(void **state)
{
    (void)state;
    static const struct {
        const char *key, *value;
        enum hf_conf_verdict verdict;
        uint64_t number;
    } cases[] = {
        {"prof", "true", HF_CONF_TAKEN, 1},
        {"prof", "True", HF_CONF_INVALID, 0},
        {"prof", "", HF_CONF_INVALID, 0},
        {"lg_prof_sample", "0", HF_CONF_TAKEN, 0},
        {"lg_prof_sample", "0x10", HF_CONF_TAKEN, 16},
        {"lg_prof_sample", "0xa", HF_CONF_TAKEN, 10},
        {"lg_prof_sample", "0X1F", HF_CONF_TAKEN, 31},
        {"lg_prof_sample", "0xg", HF_CONF_INVALID, 0},
        {"lg_prof_sample", "1a", HF_CONF_INVALID, 0},
        {"lg_prof_sample", "010", HF_CONF_TAKEN, 8},
        {"lg_prof_sample", "017", HF_CONF_TAKEN, 15},
        {"lg_prof_sample", "08", HF_CONF_INVALID, 0},
        {"lg_prof_sample", "0x", HF_CONF_INVALID, 0},
        {"lg_prof_sample", " +5", HF_CONF_TAKEN, 5},
        {"lg_prof_sample", "5 ", HF_CONF_INVALID, 0},
        {"lg_prof_sample", "64", HF_CONF_CLIPPED, 63},
        {"lg_prof_sample", "-1", HF_CONF_CLIPPED, 63},
        {"lg_prof_sample", "18446744073709551616", HF_CONF_INVALID, 0},
        {"lg_prof_interval", "-1", HF_CONF_TAKEN, UINT64_MAX},
        {"lg_prof_interval", "64", HF_CONF_OUT_OF_RANGE, 63},
        {"lg_prof_interval", "-2", HF_CONF_OUT_OF_RANGE, UINT64_MAX},
        {"narenas", "default", HF_CONF_TAKEN, 0},
        {"narenas", "0", HF_CONF_OUT_OF_RANGE, 1},
        {"dss", "p", HF_CONF_TAKEN, 0},
        {"dss", "", HF_CONF_TAKEN, 0},
        {"dss", "primaryx", HF_CONF_INVALID, 0},
        {"zero_realloc", "a", HF_CONF_INVALID, 0},
        {"hpa_dirty_mult", ".5", HF_CONF_TAKEN, 0},
        {"hpa_dirty_mult", "1.", HF_CONF_INVALID, 0},
        {"hpa_dirty_mult", "65536", HF_CONF_INVALID, 0},
        {"slab_sizes", "1-4096:17|5000-6000:3", HF_CONF_TAKEN, 0},
        {"slab_sizes", "1-4096:17|", HF_CONF_TAKEN, 0},
        {"slab_sizes", "1-4096", HF_CONF_INVALID, 0},
        {"prof_prefix", "", HF_CONF_TAKEN, 0},
    };
    for (size_t i = 0; i < HF_COUNT(cases); i++) {
        uint64_t number;
        const struct hf_conf_option *option = hf_conf_option_find(hf_text_of(cases[i].key));
        assert_non_null(option);
        enum hf_conf_verdict verdict = hf_conf_value(option, hf_text_of(cases[i].value), &number);
        if (verdict != cases[i].verdict ||
            (verdict != HF_CONF_INVALID && number != cases[i].number))
            fail_msg("%s:%s: verdict %d, number %llu", cases[i].key, cases[i].value, verdict,
                (unsigned long long)number);
    }
}

static void keys(void **state)
{
    (void)state;
    static const struct {
        const char *key, *match, *meant;
    } cases[] = {
        {"prof", "prof", "prof"},
        {"", "metadata_thp", NULL},
        {"m", "metadata_thp", NULL},
        {"d", "dss", NULL},
        {"per", "percpu_arena", NULL},
        {"th", NULL, NULL},
        {"PROF_FINAL", NULL, "prof_final"},
        {"prof-final", NULL, "prof_final"},
        {"prof_sample", NULL, "lg_prof_sample"},
        {"prof_fnal", NULL, "prof_final"},
        {"xyzzy", NULL, NULL},
    };
    for (size_t i = 0; i < HF_COUNT(cases); i++) {
        check_case = cases[i].key;
        const struct hf_conf_option *match = hf_conf_option_match(hf_text_of(cases[i].key));
        const struct hf_conf_option *meant = hf_conf_repair_key(hf_text_of(cases[i].key));
        check_text(hf_text_of(match != NULL ? match->key : "none"),
            cases[i].match != NULL ? cases[i].match : "none");
        check_text(hf_text_of(meant != NULL ? meant->key : "none"),
            cases[i].meant != NULL ? cases[i].meant : "none");
    }
}

/* Each option's default is a value that it takes, and the table has no key twice. */
static void the_table(void **state)
{
    (void)state;
    assert_true(hf_conf_option_count() <= HF_CONF_OPTIONS_MAX);
    for (size_t i = 0; i < hf_conf_option_count(); i++) {
        const struct hf_conf_option *option = hf_conf_option_at(i);
        uint64_t number;
        check_case = option->key;
        assert_ptr_equal(hf_conf_option_find(hf_text_of(option->key)), option);
        if (option->fallback[0] != '\0')
            assert_int_equal(
                hf_conf_value(option, hf_text_of(option->fallback), &number), HF_CONF_TAKEN);
        assert_true(option->since != 0 && (option->until == 0 || option->since <= option->until));
        assert_true(option->meaning[strlen(option->meaning) - 1] == '.');
    }
}

/* Whatever the line is: what jemalloc skips is a fault, and the repaired line has none. */
static void check_both(struct hf_text line)
{
    struct hf_error err;
    struct hf_conf_check check = {0}, again = {0};
    assert_int_equal(hf_conf_check_line(&check, line, &err), HF_OK);
    if (check.fault_count == 0 && line.size != 0 && line.data[line.size - 1] != ',' &&
        hf_conf_complains(&check.target, line))
        fail_msg("no fault in \"%.*s\"", (int)line.size, line.data);
    assert_int_equal(hf_conf_check_line(&again, hf_out_view(&check.fixed), &err), HF_OK);
    if (again.fault_count != 0)
        fail_msg("\"%.*s\" became \"%.*s\": %s", (int)line.size, line.data, (int)check.fixed.size,
            check.fixed.data, again.findings[0].text);
    hf_conf_check_done(&again);
    hf_conf_check_done(&check);
}

static void every_prefix_and_byte(void **state)
{
    (void)state;
    static const char line[] =
        "prof_leak:true,lg_prof_sample:0,prof_final:true;lg_prof_interval:30,junk:alloc,dss:p";
    static const char bytes[] = {',', ';', ':', '=', ' ', '"', 'x', '0', '-', '\n', '\x7f'};
    for (size_t size = 0; size < sizeof line; size++)
        check_both((struct hf_text){line, size});
    for (size_t at = 0; at + 1 < sizeof line; at++) {
        for (size_t i = 0; i < HF_COUNT(bytes); i++) {
            char changed[sizeof line];
            memcpy(changed, line, sizeof line);
            changed[at] = bytes[i];
            check_both(hf_text_of(changed));
        }
    }
}

/* What is compiled into the program holds unless the line says otherwise. */
static void sources(void **state)
{
    (void)state;
    struct hf_error err;
    struct hf_conf_check check = {0};
    struct hf_text built_in = HF_TEXT("prof:true,lg_prof_sample:12,foo:1,bar");
    assert_int_equal(hf_conf_check_source(&check, "built in", built_in, &err), HF_OK);
    assert_int_equal(
        hf_conf_check_line(&check, HF_TEXT("lg_prof_sample:20,prof_gdump:true"), &err), HF_OK);
    assert_int_equal(check.fault_count, 0);
    assert_int_equal(hf_conf_setting_of(&check, "prof").number, 1);
    assert_int_equal(hf_conf_setting_of(&check, "lg_prof_sample").number, 20);
    check_text(hf_text_of(check.findings[0].text), "built in: jemalloc skips foo:1");
    check_text(
        hf_text_of(check.findings[1].text), "built in: jemalloc drops \"bar\" and what follows");
    hf_conf_check_done(&check);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values),
        cmocka_unit_test(keys),
        cmocka_unit_test(the_table),
        cmocka_unit_test(every_prefix_and_byte),
        cmocka_unit_test(sources),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
