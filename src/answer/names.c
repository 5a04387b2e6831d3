#include "answer/names.h"

#include "symbol/cache/cache_folder.h"
#include "symbol/lookup/symbolize.h"

void hf_names_options(const struct hf_request_names *names, char cache_folder[PATH_MAX],
    struct hf_symbol_options *out_options)
{
    *out_options = (struct hf_symbol_options){
        .exe = names->exe,
        .symdirs = names->symdirs.items,
        .symdir_count = names->symdirs.count,
        .kept = names->kept,
        .cache_folder = hf_cache_folder(names->no_cache, cache_folder),
        .full_names = names->full_names,
        .keeps_given = names->keeps_given,
        .linkage_names = names->linkage_names,
    };
}

enum hf_status hf_names_add(
    const struct hf_request_names *names, struct hf_profile *profile, struct hf_error *err)
{
    char cache_folder[PATH_MAX];
    struct hf_symbol_options symbols;
    hf_names_options(names, cache_folder, &symbols);
    return hf_symbolize(profile, &symbols, err);
}

enum hf_status hf_names_make_readable(
    const struct hf_request_names *names, struct hf_profile *profile, struct hf_error *err)
{
    const struct hf_symbol_options symbols = {.full_names = names->full_names};
    return hf_symbolize_readable(profile, &symbols, err);
}
