/* What of a spec the program in the kernel is told, and what it cannot be told. */
#include "attach/bpf/bpf_values.h"

#include "check.h"

/* The probe of the last line of a spec; its texts live as long as the specs. */
static struct hf_probe probe_of(struct hf_specs *specs, const char *line)
{
    struct hf_error err;
    char text[512];
    int size = snprintf(text, sizeof text, "spec own\nobject exe\nlabel ctx.name\n%s\n", line);
    check_case = line;
    check_ok(hf_specs_parse(specs, (struct hf_text){text, (size_t)size}, "own.spec", &err), &err);
    const struct hf_spec *spec = &specs->items[0];
    return (struct hf_probe){.function = "own", .entry = &spec->entries[spec->entry_count - 1]};
}

static struct hf_bpf_probe converted(const char *line)
{
    struct hf_specs specs;
    struct hf_bpf_probe out;
    struct hf_error err;
    struct hf_probe probe = probe_of(&specs, line);
    check_ok(hf_bpf_probe_of(&probe, &out, &err), &err);
    assert_int_equal(out.role, probe.entry->role);
    assert_int_equal(out.reserved, 0);
    hf_specs_done(&specs);
    return out;
}

static void check_value(struct hf_bpf_value value, enum hf_bpf_value_kind kind, unsigned argument)
{
    assert_int_equal(value.kind, kind);
    assert_int_equal(value.argument, argument);
}

static void test_forms(void **state)
{
    (void)state;
    struct hf_bpf_probe p = converted("alloc sym:own ctx=arg5 size=arg1*arg2 new=ret ok=ret32>=7");
    check_value(p.context, HF_BPF_ARGUMENT, 5);
    check_value(p.size, HF_BPF_PRODUCT, 1);
    assert_int_equal(p.size.other, 2);
    check_value(p.new_block, HF_BPF_RESULT, 0);
    assert_int_equal(p.ok.kind, HF_BPF_RESULT32);
    assert_int_equal(p.ok_value.kind, HF_BPF_NUMBER);
    assert_int_equal(p.ok_value.number, 7);
    assert_int_equal(p.relation, HF_BPF_AT_LEAST);
    assert_int_equal(p.pointer.kind, HF_BPF_NOTHING);
    assert_int_equal(p.is_in_context, 1);
    p = converted("alloc sym:own ctx=arg0 size=arg2 new=*arg4 ok=ret32==0");
    check_value(p.new_block, HF_BPF_LOADED, 4);
    assert_int_equal(p.relation, HF_BPF_EQUAL);
    p = converted("realloc sym:own ptr=arg3 size=arg1 new=ret ok=ret!=0");
    check_value(p.pointer, HF_BPF_ARGUMENT, 3);
    assert_int_equal(p.relation, HF_BPF_DIFFERENT);
    p = converted("alloc sym:own ctx=arg0 size=4096 new=ret ok=ret<4096");
    assert_int_equal(p.size.kind, HF_BPF_NUMBER);
    assert_int_equal(p.size.number, 4096);
    assert_int_equal(p.relation, HF_BPF_BELOW);
    p = converted("free sym:own ptr=arg0");
    assert_int_equal(p.size.kind, HF_BPF_NOTHING);
    assert_int_equal(p.ok.kind, HF_BPF_NOTHING);
    check_case = "";
}

static void test_refused(void **state)
{
    static const char *const lines[] = {
        "map sym:own size=arg0 new=ret",
        "unmap sym:own ptr=arg0 size=arg1",
        "alloc sym:own ctx=arg0+8 size=arg1 new=ret",
        "free sym:own ptr=arg0-16",
        "alloc sym:own size=arg1+arg2 new=ret",
        "alloc sym:own size=arg1 new=ret+8",
        "alloc sym:own size=arg1 new=**arg0",
        "alloc sym:own size=arg1 new=ret ok=ret+1!=0",
        "alloc sym:own size=arg1 new=ret ok=ret!=arg0*2",
    };
    (void)state;
    for (size_t i = 0; i < HF_COUNT(lines); i++) {
        struct hf_specs specs;
        struct hf_bpf_probe out;
        struct hf_error err;
        struct hf_probe probe = probe_of(&specs, lines[i]);
        assert_int_equal(hf_bpf_probe_of(&probe, &out, &err), HF_ERR_USAGE);
        check_error(&err,
            "the bpf backend cannot follow own as line 4 of the spec describes it: use --backend "
            "perf");
        hf_specs_done(&specs);
    }
    check_case = "";
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_forms),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
