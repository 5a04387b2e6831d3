/* Names of Java, and which of several calls in one line were inlined. */
#include "check.h"
#include "formats/reports/java_frame.h"
#include "profile/profile.h"

static void splits_names_of_java(void **state)
{
    static const struct {
        const char *name, *expected; /* leaf first, "^" before what was inlined */
        bool is_inlined;
    } rows[] = {
        {"main", "main", false},
        {"Ljava/lang/Thread;::run", "java/lang/Thread:::run", false},
        {"Ljava/lang/Thread;::run", "^java/lang/Thread:::run", true},
        {"LMain;.run()V", "LMain:.run()V", false},
        {"La/B;::f->Lc/D;::g", "^c/D:::g a/B:::f", false},
        {"La/B;::f->Lc/D;::g->LE;::h", "^LE:::h ^c/D:::g a/B:::f", false},
        {"La/B;::f->plain", "^plain a/B:::f", false},
        {"plain->La/B;::f", "plain->La/B;::f", false},
        {"L;::f", "L;::f", false},
        {"LM;::f", "LM:::f", false},
        {"LM;f", "LM;f", false},
        {"LM;:f", "LM;:f", false},
        {"M;::f", "M;::f", false},
        {"La b;::f", "La b;::f", false},
        {"La(b;::f", "La(b;::f", false},
        {"LMain::f", "LMain::f", false},
        {"La/B;::f->", "[unknown] a/B:::f", false},
    };
    (void)state;
    for (size_t i = 0; i < HF_COUNT(rows); i++) {
        struct hf_error err;
        struct hf_profile *profile;
        struct hf_text_stack stack = {0};
        struct hf_out scratch = {0}, out = {0};
        struct hf_text_frame frame = {
            .function = hf_text_of(rows[i].name), .is_inlined = rows[i].is_inlined};
        check_case = rows[i].name;
        check_ok(hf_profile_new(&profile, &err), &err);
        check_ok(hf_java_frame_push(&stack, profile, &frame, &scratch, &err), &err);
        for (size_t n = 0; n < stack.depth; n++) {
            const struct hf_frame *named = hf_profile_frame_at(profile, stack.frames[n]);
            hf_out_string(&out, n != 0 ? " " : "");
            hf_out_string(&out, (named->flags & HF_FRAME_INLINED) != 0 ? "^" : "");
            hf_out_text(&out, hf_profile_text(profile, named->name));
        }
        check_out(&out, rows[i].expected);
        hf_text_stack_done(&stack);
        hf_out_done(&scratch);
        hf_out_done(&out);
        hf_profile_free(profile);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(splits_names_of_java)};
    return cmocka_run_group_tests_name("java_frame", tests, NULL, NULL);
}
