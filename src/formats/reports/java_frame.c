#include "formats/reports/java_frame.h"

/* "Ljava/lang/Thread;::run" or "LMain;.run()V": what follows the class has the dots. */
static bool split_java(struct hf_text name, struct hf_text *out_class, struct hf_text *out_method)
{
    struct hf_text class = hf_text_first(name, hf_text_find(name, ';'));
    struct hf_text method = hf_text_from(name, class.size + 1);
    if (class.size < 2 || class.data[0] != 'L' || hf_text_find(class, ' ') != class.size ||
        hf_text_find(class, '(') != class.size ||
        !(hf_text_starts(method, "::") || hf_text_starts(method, ".")))
        return false;
    bool has_package = hf_text_find(class, '/') != class.size;
    *out_class = hf_text_from(class, has_package ? 1 : 0);
    *out_method = method;
    return true;
}

/* Of "a->b" the last arrow; the end if there is none. */
static size_t find_last_arrow(struct hf_text name)
{
    for (size_t at = name.size; at-- > 1;) {
        if (name.data[at] == '>' && name.data[at - 1] == '-')
            return at - 1;
    }
    return name.size;
}

enum hf_status hf_java_frame_push(struct hf_text_stack *stack, struct hf_profile *profile,
    const struct hf_text_frame *from, struct hf_out *scratch, struct hf_error *err)
{
    struct hf_text_frame frame = *from;
    struct hf_text rest = from->function, class, method;
    bool is_java = split_java(rest, &class, &method);
    enum hf_status status = HF_OK;
    while (is_java && rest.size != 0 && status == HF_OK) {
        size_t arrow = find_last_arrow(rest);
        frame.function = arrow == rest.size ? rest : hf_text_from(rest, arrow + 2);
        frame.is_inlined = from->is_inlined || arrow != rest.size;
        rest = hf_text_first(rest, arrow == rest.size ? 0 : arrow);
        scratch->size = 0;
        if (split_java(frame.function, &class, &method)) {
            hf_out_text(scratch, class);
            hf_out_char(scratch, ':');
            hf_out_text(scratch, method);
            frame.function = hf_out_view(scratch);
        }
        status = hf_out_finish(scratch, err);
        if (status == HF_OK)
            status = hf_text_stack_push(stack, profile, &frame, err);
    }
    return is_java ? status : hf_text_stack_push(stack, profile, &frame, err);
}
