/* What holds for every format of HF_FORMATS: among its fuzz seeds are files that it, and no other,
 * claims and reads. */
#include "reading.h"

#include <dirent.h>

#define NAME(name) #name,
static const char *const names[] = {HF_FORMATS(NAME)};
#undef NAME
#define FORMAT(name) &hf_format_##name,
static const struct hf_format *const formats[] = {HF_FORMATS(FORMAT)};
#undef FORMAT

static struct hf_text read_whole(const char *path)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    size_t size = (size_t)ftell(file);
    rewind(file);
    char *bytes = malloc(size != 0 ? size : 1);
    assert_non_null(bytes);
    assert_int_equal(fread(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
    return (struct hf_text){bytes, size};
}

/* Whether the file is of this format and no other, and has a sound profile. */
static bool is_of_format(const char *path, const struct hf_format *format)
{
    struct hf_text bytes = read_whole(path);
    bool is_its = hf_format_of(hf_text_first(bytes, HF_FORMAT_PEEK_BYTES)) == format;
    if (is_its) {
        struct hf_error err;
        struct hf_profile *profile;
        is_its = read_bytes(bytes, &profile, &err) == HF_OK;
        if (is_its)
            hf_profile_free(profile);
    }
    free((char *)bytes.data);
    return is_its;
}

static size_t count_seeds(const char *name, const struct hf_format *format)
{
    char folder[4096], path[8192];
    (void)snprintf(folder, sizeof folder, "%s/fuzz/corpus/%s", getenv("HEAPFLAME_SRC"), name);
    DIR *listing = opendir(folder);
    if (listing == NULL)
        return 0;
    size_t count = 0;
    for (struct dirent *entry = readdir(listing); entry != NULL; entry = readdir(listing)) {
        (void)snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        count += hf_text_starts(hf_text_of(entry->d_name), "seed") && is_of_format(path, format);
    }
    closedir(listing);
    return count;
}

static void claims_and_reads_its_own(void **state)
{
    (void)state;
    for (size_t i = 0; i < HF_COUNT(formats); i++) {
        check_case = names[i];
        if (count_seeds(names[i], formats[i]) == 0)
            fail_msg("no file fuzz/corpus/%s/seed* is claimed and read by hf_format_%s", names[i],
                names[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(claims_and_reads_its_own)};
    return cmocka_run_group_tests_name("each_format", tests, NULL, NULL);
}
