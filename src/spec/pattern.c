#include "spec/pattern.h"

/* False if the last character alone tells that it is another name: without a look at the rest. */
static bool pattern_ends_alike(struct hf_text glob, struct hf_text name)
{
    char last = glob.size != 0 ? glob.data[glob.size - 1] : '*';
    return last == '*' || last == '?' || (name.size != 0 && name.data[name.size - 1] == last);
}

/* Where in `name` what follows a star can begin, from `from` on. */
static size_t pattern_after_star(
    struct hf_text glob, size_t behind_star, struct hf_text name, size_t from)
{
    if (behind_star == glob.size)
        return name.size;
    size_t known = behind_star;
    while (known < glob.size && glob.data[known] == '?')
        known++;
    if (known == glob.size || glob.data[known] == '*')
        return from;
    struct hf_text rest = hf_text_from(name, from + (known - behind_star));
    return from + hf_text_find(rest, glob.data[known]);
}

bool hf_glob_matches(struct hf_text glob, struct hf_text name)
{
    size_t at = 0, star = glob.size, resume = 0;
    if (!pattern_ends_alike(glob, name))
        return false;
    for (size_t i = 0; i < name.size;) {
        if (at < glob.size && glob.data[at] == '*') {
            star = at++;
            i = resume = pattern_after_star(glob, at, name, i);
        } else if (at < glob.size && (glob.data[at] == '?' || glob.data[at] == name.data[i])) {
            at++;
            i++;
        } else if (star < glob.size) { /* the last star takes one more */
            at = star + 1;
            i = resume = pattern_after_star(glob, at, name, resume + 1);
        } else {
            return false;
        }
    }
    return hf_text_trim_start(hf_text_from(glob, at), "*").size == 0;
}

static bool is_glob(struct hf_text text)
{
    return hf_text_find(text, '*') != text.size || hf_text_find(text, '?') != text.size;
}

enum hf_symbol_match hf_spec_match_symbol(
    struct hf_text wanted, struct hf_text prefix, struct hf_text name)
{
    if (hf_text_take(&wanted, "%")) {
        if (!hf_text_equal(hf_text_first(name, prefix.size), prefix))
            return HF_SYMBOL_OTHER;
        name = hf_text_from(name, prefix.size);
    }
    if (is_glob(wanted))
        return hf_text_find(name, '.') == name.size && hf_glob_matches(wanted, name)
                   ? HF_SYMBOL_MEANT
                   : HF_SYMBOL_OTHER;
    if (!hf_text_equal(hf_text_first(name, wanted.size), wanted))
        return HF_SYMBOL_OTHER;
    struct hf_text rest = hf_text_from(name, wanted.size);
    if (rest.size == 0)
        return HF_SYMBOL_MEANT;
    return hf_text_starts(rest, ".constprop.") || hf_text_starts(rest, ".isra.") ? HF_SYMBOL_CLONE
                                                                                 : HF_SYMBOL_OTHER;
}

bool hf_glob_find_star(struct hf_text glob, struct hf_text name, struct hf_text *out_text)
{
    size_t star = hf_text_find(glob, '*');
    struct hf_text before = hf_text_first(glob, star), after = hf_text_from(glob, star + 1);
    if (name.size < before.size + after.size ||
        !hf_text_equal(hf_text_first(name, before.size), before) ||
        !hf_text_equal(hf_text_from(name, name.size - after.size), after))
        return false;
    *out_text = hf_text_from(name, before.size);
    out_text->size -= after.size;
    return true;
}
