#include "cli/save.h"

#include "answer/names.h"
#include "cli/convert.h"

#include <stdio.h>
#include <time.h>

static bool is_standard_output(const char *path)
{
    return path == NULL || strcmp(path, "-") == 0;
}

static bool is_picture(const char *path)
{
    return hf_report_ends(path, ".svg") || hf_report_ends(path, ".html");
}

static const struct hf_writer *writer_of(const char *path)
{
    return is_standard_output(path) ? &hf_writer_bundle : hf_writer_of_path(path);
}

bool hf_save_takes_classes(const char *path)
{
    return !is_picture(path) && writer_of(path) != NULL && writer_of(path)->takes_classes;
}

enum hf_status hf_save_check(const char *path, struct hf_error *err)
{
    if (is_picture(path) || writer_of(path) != NULL)
        return HF_OK;
    struct hf_out known = {0};
    hf_writers_list(&known);
    hf_out_char(&known, '\0');
    hf_error_set(err, HF_ERR_USAGE,
        "-o: the ending says the format: expected .svg, .html or one of %s; found '%s'",
        known.data != NULL ? known.data : "", path);
    hf_out_done(&known);
    return HF_ERR_USAGE;
}

/* What a picture says of itself, unless it was asked to say something else. */
struct heading {
    char title[320], moment[64];
};

/* "server, process 4711", and when. */
static void head(
    struct heading *heading, const struct hf_profile *profile, struct hf_picture_options *picture)
{
    struct tm when;
    time_t now = time(NULL);
    struct hf_text command = hf_profile_text(profile, profile->capture.command);
    struct hf_text program = hf_text_basename(hf_text_first(command, hf_text_find(command, ' ')));
    if (profile->capture.process_id == 0 || localtime_r(&now, &when) == NULL ||
        strftime(heading->moment, sizeof heading->moment, "%F %T %z", &when) == 0)
        return;
    (void)snprintf(heading->title, sizeof heading->title, "%.*s%sprocess %u", (int)program.size,
        program.data, program.size != 0 ? ", " : "", profile->capture.process_id);
    if (picture->title == NULL)
        picture->title = heading->title;
    if (picture->subtitle == NULL)
        picture->subtitle = heading->moment;
}

enum hf_status hf_save(struct hf_report_options *options, const char *path,
    struct hf_profile *profile, struct hf_error *err)
{
    options->view.output = path;
    options->view.is_private = true;
    enum hf_status status = hf_save_check(path, err);
    if (status != HF_OK)
        return status;
    if (!is_picture(path))
        return hf_convert_profile(writer_of(path), &options->view, profile, err);
    status = hf_names_add(&options->view.request.names, profile, err);
    if (status != HF_OK)
        return status;
    struct heading heading;
    struct hf_picture_options before = options->picture;
    head(&heading, profile, &options->picture);
    options->view.request.given = profile;
    status = hf_report_picture(options, NULL, 0, err);
    options->view.request.given = NULL;
    options->picture = before;
    return status;
}
