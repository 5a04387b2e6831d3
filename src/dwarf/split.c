#include "dwarf/split.h"

#include "dwarf/constants.h"

static bool is_type_unit(const struct hf_unit *unit)
{
    return unit->type == DW_UT_type || unit->type == DW_UT_split_type;
}

struct hf_unit *hf_split_file_unit(const struct hf_split_file *file, uint64_t id)
{
    for (size_t i = 0; i < file->units.count; i++) {
        struct hf_unit *unit = &file->units.items[i];
        if (unit->dwo_id == id && !is_type_unit(unit))
            return unit;
    }
    return NULL;
}

static enum hf_status explain_other(
    const struct hf_split_file *file, uint64_t id, struct hf_error *err)
{
    for (size_t i = 0; i < file->units.count; i++) {
        if (!is_type_unit(&file->units.items[i]))
            return hf_error_set(err, HF_ERR_INPUT,
                "belongs to another build: the id of its unit is %016llx, not %016llx",
                (unsigned long long)file->units.items[i].dwo_id, (unsigned long long)id);
    }
    return hf_error_set(err, HF_ERR_INPUT, "has no units of split DWARF");
}

enum hf_status hf_split_file_open(struct hf_split_file *file,
    const struct hf_dwarf_sections *sections, uint64_t id, struct hf_dwarf_effort *effort,
    struct hf_error *err)
{
    struct hf_dwarf_sections bounded = *sections;
    bounded.effort = effort;
    file->sections = *sections;
    if (!hf_dwarf_spend(&bounded, sections->info.size, err))
        return HF_ERR_LIMIT;
    enum hf_status status = hf_units_scan(&file->units, &bounded, err);
    for (size_t i = 0; i < file->units.count && status == HF_OK; i++)
        status = hf_unit_read_root(&file->units.items[i], &bounded, err);
    if (status == HF_OK && (id == 0 || hf_split_file_unit(file, id) == NULL))
        status = explain_other(file, id, err);
    return status;
}

void hf_split_file_close(struct hf_split_file *file)
{
    hf_units_done(&file->units);
    *file = (struct hf_split_file){0};
}

enum hf_status hf_split_unit_open(struct hf_split_unit *split, const struct hf_unit *skeleton,
    const struct hf_dwarf_sections *image, struct hf_intern *texts, struct hf_error *err)
{
    struct hf_split_source *source = image->split;
    if (source == NULL)
        return hf_error_set(err, HF_ERR_INPUT, "%.*s was not searched for",
            (int)skeleton->dwo_name.size, skeleton->dwo_name.data);
    struct hf_split_file *file;
    enum hf_status status = source->find(source->context, skeleton, image->effort, &file, err);
    if (status != HF_OK)
        return status;
    struct hf_unit *unit = hf_split_file_unit(file, skeleton->dwo_id);
    /* Else two threads would read one unit. */
    if (unit->queries != NULL)
        return hf_error_set(err, HF_ERR_INPUT, "two units refer to %.*s",
            (int)skeleton->dwo_name.size, skeleton->dwo_name.data);
    unit->queries = skeleton->queries;
    unit->query_count = skeleton->query_count;
    unit->low_pc = skeleton->low_pc;
    unit->addr_base = skeleton->addr_base;
    unit->ranges_base = skeleton->split_ranges_base;
    split->unit = unit;
    split->sections = file->sections;
    split->sections.addr = image->addr;
    split->sections.ranges = image->ranges;
    split->sections.effort = image->effort;
    split->sections.callframes = image->callframes;
    split->names =
        (struct hf_die_names){.sections = &split->sections, .units = &file->units, .texts = texts};
    return HF_OK;
}

void hf_split_unit_close(struct hf_split_unit *split)
{
    if (split->unit != NULL) {
        split->unit->queries = NULL;
        split->unit->query_count = 0;
    }
    hf_die_names_done(&split->names);
    *split = (struct hf_split_unit){0};
}
