#include "conf/check.h"

#include "base/containers/vec.h"
#include "base/limits.h"
#include "conf/check_settings.h"
#include "conf/option_words.h"
#include "conf/repair.h"

#define SHOWN_MAX 60 /* bytes of the line that a sentence quotes */

/* For "%.*s": at most SHOWN_MAX bytes of a text. */
#define SHOW(text) (int)((text).size < SHOWN_MAX ? (text).size : SHOWN_MAX), (text).data

/* The line being read; columns are places in it. */
struct check_reader {
    struct hf_conf_check *check;
    struct hf_text line;
    size_t hidden_until; /* jemalloc takes what is before here for a value */
    bool is_dropped;     /* jemalloc stopped before here */
};

static size_t column_of(const struct check_reader *r, const char *at)
{
    return (size_t)(at - r->line.data) + 1;
}

static struct hf_conf_setting *setting_of(
    struct hf_conf_check *check, const struct hf_conf_option *option)
{
    return &check->settings[hf_conf_option_index(option)];
}

/* What jemalloc does at a byte that stops it; said once. */
static const char *stopping(struct check_reader *r, size_t at)
{
    if (r->is_dropped || at < r->hidden_until)
        return "";
    r->is_dropped = true;
    return "; jemalloc stops reading here and drops the rest of the line";
}

static void check_keep(struct check_reader *r, const struct hf_conf_option *option,
    const char *key_at, struct hf_text value, uint64_t number)
{
    struct hf_conf_check *check = r->check;
    struct hf_conf_setting *setting = setting_of(check, option);
    char *copy = hf_arena_copy(&check->arena, value.data, value.size);
    if (copy == NULL || !hf_vec_reserve(&check->meant, &check->meant_capacity,
                            check->meant_count + 1, sizeof *check->meant)) {
        check->is_out_of_memory = true;
        return;
    }
    *setting = (struct hf_conf_setting){true, number, {copy, value.size}};
    check->meant[check->meant_count++] =
        (struct hf_conf_meant){option, column_of(r, key_at), setting->text};
}

static void wrong_value(struct check_reader *r, const struct hf_conf_option *option,
    struct hf_conf_pair pair, enum hf_conf_verdict verdict, uint64_t number)
{
    char kind[HF_CONF_KIND_MAX], room[HF_CONF_VALUE_MAX];
    struct hf_text instead = hf_conf_repair_value(option, pair.value, room);
    hf_conf_kind(option, kind);
    bool has_advice = instead.size != 0;
    size_t column = column_of(r, pair.value.data);
    if (verdict == HF_CONF_CLIPPED)
        hf_conf_say(r->check, true, column, "%s takes %s: jemalloc reads %.*s as %llu%s%s%s%.*s",
            option->key, kind, SHOW(pair.value), (unsigned long long)number,
            has_advice ? "; write " : "", has_advice ? option->key : "", has_advice ? ":" : "",
            SHOW(instead));
    else
        hf_conf_say(r->check, true, column,
            "%s takes %s, not \"%.*s\": jemalloc skips the option%s%s%s%.*s", option->key, kind,
            SHOW(pair.value), has_advice ? "; write " : "", has_advice ? option->key : "",
            has_advice ? ":" : "", SHOW(instead));
    if (has_advice && hf_conf_value(option, instead, &number) == HF_CONF_TAKEN)
        check_keep(r, option, pair.key.data, instead, number);
}

/* False if the jemalloc that was asked for has no such option. */
static bool check_version(
    struct check_reader *r, const struct hf_conf_option *option, struct hf_conf_pair pair)
{
    uint32_t version = r->check->target.version;
    bool is_asked = version != 0;
    version = is_asked ? version : HF_CONF_NEWEST;
    size_t column = column_of(r, pair.key.data);
    char name[HF_CONF_VERSION_MAX], have[HF_CONF_VERSION_MAX];
    hf_conf_version_name(version, have);
    if (option->build_flag != NULL)
        hf_conf_say(r->check, false, column, "%s works only in a jemalloc configured with %s",
            option->key, option->build_flag);
    if (option->until != 0 && version > option->until) {
        hf_conf_say(
            r->check, true, column, "%s was removed in jemalloc 5.0.0: it is skipped", option->key);
        return false;
    }
    if (option->since <= version)
        return true;
    bool is_snapshot = r->check->target.is_snapshot;
    bool is_fault = !is_snapshot && (is_asked || option->since <= HF_CONF_NEWEST);
    hf_conf_say(r->check, is_fault, column, "%s came %s%s: jemalloc %s %s", option->key,
        option->since <= HF_CONF_NEWEST ? "with jemalloc " : "", hf_conf_since(option, name), have,
        is_snapshot ? "does not have it, and this is a later snapshot" : "skips it");
    return !is_fault;
}

static void check_known(
    struct check_reader *r, const struct hf_conf_option *option, struct hf_conf_pair pair)
{
    size_t column = column_of(r, pair.key.data);
    if (!hf_text_is(pair.key, option->key))
        hf_conf_say(r->check, false, column, "jemalloc takes \"%.*s\" as %s, which begins with it",
            SHOW(pair.key), option->key);
    bool is_there = check_version(r, option, pair);
    if (hf_conf_column_of(r->check, option->key) != 0)
        hf_conf_say(r->check, false, column, "%s is given twice: this one counts", option->key);
    uint64_t number;
    enum hf_conf_verdict verdict = hf_conf_value(option, pair.value, &number);
    if (verdict == HF_CONF_TAKEN && is_there)
        check_keep(r, option, pair.key.data, pair.value, number);
    else if (is_there)
        wrong_value(r, option, pair, verdict, number);
}

static void check_pair(struct check_reader *r, struct hf_conf_pair pair)
{
    const struct hf_conf_option *option = hf_conf_option_match(pair.key);
    if (pair.key.size == 0) {
        hf_conf_say(
            r->check, true, column_of(r, pair.key.data), "there is no key before the \":\"");
        return;
    }
    if (option != NULL) {
        check_known(r, option, pair);
        return;
    }
    const struct hf_conf_option *near = hf_conf_repair_key(pair.key);
    hf_conf_say(r->check, true, column_of(r, pair.key.data),
        "jemalloc knows no option \"%.*s\" and skips it%s%s%s", SHOW(pair.key),
        near != NULL ? "; did you mean " : "", near != NULL ? near->key : "",
        near != NULL ? "?" : "");
    if (near == NULL || !check_version(r, near, pair))
        return;
    uint64_t number;
    char room[HF_CONF_VALUE_MAX];
    struct hf_text value = hf_conf_repair_value(near, pair.value, room);
    if (value.size != 0 && hf_conf_value(near, value, &number) == HF_CONF_TAKEN)
        check_keep(r, near, pair.key.data, value, number);
}

/* A pair up to its comma; or up to another pair that hides in its value. Returns where to go on. */
static size_t check_take_pair(struct check_reader *r, struct hf_conf_pair pair, size_t next)
{
    size_t end;
    size_t hidden = hf_conf_hidden_pair(pair.value, &end);
    if (hidden == pair.value.size) {
        check_pair(r, pair);
        return next;
    }
    const char *at = pair.value.data + end;
    size_t column = column_of(r, at);
    hf_conf_say(r->check, true, column,
        "use \",\" here, not \"%c\": jemalloc reads \"%.*s\" as the value of %.*s, and %s", *at,
        SHOW(pair.value), SHOW(pair.key),
        hf_conf_option_find(pair.key) != NULL && hf_conf_option_find(pair.key)->kind == HF_CONF_TEXT
            ? "what follows is lost"
            : "skips both options");
    r->hidden_until = column_of(r, pair.value.data + pair.value.size) - 1;
    pair.value.size = end;
    check_pair(r, pair);
    return column_of(r, pair.value.data + hidden) - 1;
}

/* Something as "prof-final:true": the key reaches to the colon, as far as anybody can tell. */
static size_t take_odd_key(struct check_reader *r, struct hf_conf_pair pair, size_t stop)
{
    size_t start = column_of(r, pair.key.data) - 1;
    struct hf_text whole = hf_text_from(r->line, start);
    whole = hf_text_first(whole, hf_text_find(whole, ','));
    size_t colon = hf_text_find(whole, ':');
    hf_conf_say(r->check, true, stop + 1, "a key cannot contain \"%.1s\"%s", r->line.data + stop,
        stopping(r, stop));
    if (colon < whole.size && hf_conf_repair_key(hf_text_first(whole, colon)) != NULL) {
        pair.key = hf_text_first(whole, colon);
        pair.value = hf_text_from(whole, colon + 1);
        return check_take_pair(r, pair, start + whole.size + 1);
    }
    return start + whole.size + 1;
}

/* A byte that no key has. Says what it is, takes what was meant; returns where to go on. */
static size_t take_malformed(struct check_reader *r, struct hf_conf_pair pair, size_t stop)
{
    char c = r->line.data[stop];
    struct hf_text rest = hf_text_from(r->line, stop + 1);
    size_t column = stop + 1;
    const struct hf_conf_option *option = hf_conf_option_find(pair.key);
    bool is_switch = option != NULL && option->kind == HF_CONF_BOOL;
    if (c == '=') {
        hf_conf_say(r->check, true, column, "use \":\" between key and value, not \"=\"%s",
            stopping(r, stop));
        pair.value = hf_text_first(rest, hf_text_find(rest, ','));
        return check_take_pair(r, pair, stop + 1 + pair.value.size + 1);
    }
    if (pair.key.size == 0 && strchr(" \t\r\n", c) != NULL)
        hf_conf_say(
            r->check, true, column, "there must be no blank before a key%s", stopping(r, stop));
    else if (pair.key.size == 0 && (c == '"' || c == '\''))
        hf_conf_say(r->check, true, column, "there must be no quotes%s", stopping(r, stop));
    else if (pair.key.size == 0 && (c == ';' || c == ','))
        hf_conf_say(r->check, true, column, "remove this \"%c\"%s", c, stopping(r, stop));
    else if (is_switch && strchr(" \t\r\n\"';,", c) != NULL)
        hf_conf_say(r->check, true, column_of(r, pair.key.data),
            "%s needs a value: write %s:true%s", option->key, option->key, stopping(r, stop));
    else
        return take_odd_key(r, pair, stop);
    if (is_switch && check_version(r, option, pair))
        check_keep(r, option, pair.key.data, HF_TEXT("true"), 1);
    while (stop + 1 < r->line.size && strchr(" \t\r\n\"';", r->line.data[stop + 1]) != NULL &&
           r->line.data[stop + 1] != '\0')
        stop++;
    return stop + 1;
}

static void take_key_alone(struct check_reader *r, struct hf_conf_pair pair)
{
    const struct hf_conf_option *option = hf_conf_option_find(pair.key);
    bool is_switch = option != NULL && option->kind == HF_CONF_BOOL;
    hf_conf_say(r->check, true, column_of(r, pair.key.data),
        "\"%.*s\" has no value and is skipped%s%s%s", SHOW(pair.key), is_switch ? ": write " : "",
        is_switch ? option->key : "", is_switch ? ":true" : "");
    if (is_switch && check_version(r, option, pair))
        check_keep(r, option, pair.key.data, HF_TEXT("true"), 1);
}

static void check_read_line(struct check_reader *r)
{
    struct hf_conf_cursor cursor = hf_conf_open(r->line);
    while (cursor.at < cursor.text.size) {
        struct hf_conf_pair pair;
        switch (hf_conf_next(&cursor, &pair)) {
        case HF_CONF_PAIR:
            if (cursor.ends_with_comma)
                hf_conf_say(r->check, false, cursor.text.size,
                    "jemalloc complains about the comma at the end, and goes on");
            cursor.at = check_take_pair(r, pair, cursor.at);
            break;
        case HF_CONF_MALFORMED: cursor.at = take_malformed(r, pair, cursor.stop); break;
        case HF_CONF_KEY_ALONE: take_key_alone(r, pair); return;
        case HF_CONF_END: return;
        }
    }
}

/* True if the jemalloc that was asked for has the option. */
static bool has_option(const struct hf_conf_target *target, const struct hf_conf_option *option)
{
    uint32_t version = target->version != 0 ? target->version : HF_CONF_NEWEST;
    bool is_there = (option->since <= version || target->is_snapshot) &&
                    (option->until == 0 || version <= option->until);
    bool is_built =
        !hf_conf_option_is_profiling(option) || !target->is_known || target->has_profiling;
    return is_there && is_built && option->build_flag == NULL;
}

bool hf_conf_complains(const struct hf_conf_target *target, struct hf_text line)
{
    struct hf_conf_cursor cursor = hf_conf_open(line);
    struct hf_conf_pair pair;
    enum hf_conf_step step;
    while ((step = hf_conf_next(&cursor, &pair)) == HF_CONF_PAIR) {
        const struct hf_conf_option *option = hf_conf_option_match(pair.key);
        uint64_t number;
        enum hf_conf_verdict verdict = option != NULL && has_option(target, option)
                                           ? hf_conf_value(option, pair.value, &number)
                                           : HF_CONF_INVALID;
        if (verdict == HF_CONF_INVALID || verdict == HF_CONF_OUT_OF_RANGE)
            return true;
    }
    return step != HF_CONF_END || cursor.ends_with_comma;
}

enum hf_status hf_conf_check_source(
    struct hf_conf_check *check, const char *name, struct hf_text text, struct hf_error *err)
{
    struct hf_conf_cursor cursor = hf_conf_open(text);
    struct hf_conf_pair pair;
    enum hf_conf_step step;
    while ((step = hf_conf_next(&cursor, &pair)) == HF_CONF_PAIR) {
        const struct hf_conf_option *option = hf_conf_option_match(pair.key);
        uint64_t number = 0;
        enum hf_conf_verdict verdict =
            option != NULL ? hf_conf_value(option, pair.value, &number) : HF_CONF_INVALID;
        char *copy = hf_arena_copy(&check->arena, pair.value.data, pair.value.size);
        if (copy == NULL)
            return hf_error_memory(err);
        if (verdict == HF_CONF_TAKEN || verdict == HF_CONF_CLIPPED)
            *setting_of(check, option) =
                (struct hf_conf_setting){true, number, {copy, pair.value.size}};
        else
            hf_conf_say(check, false, 0, "%s: jemalloc skips %.*s:%.*s", name, SHOW(pair.key),
                SHOW(pair.value));
    }
    if (step != HF_CONF_END)
        hf_conf_say(
            check, false, 0, "%s: jemalloc drops \"%.*s\" and what follows", name, SHOW(pair.key));
    return check->is_out_of_memory ? hf_error_memory(err) : HF_OK;
}

/* The pairs that count, as they should be written. */
static void write_fixed(struct hf_conf_check *check)
{
    for (size_t i = 0; i < check->meant_count; i++) {
        const struct hf_conf_meant *meant = &check->meant[i];
        if (setting_of(check, meant->option)->text.data != meant->value.data)
            continue;
        if (check->fixed.size != 0)
            hf_out_char(&check->fixed, ',');
        hf_out_printf(&check->fixed, "%s:", meant->option->key);
        hf_out_text(&check->fixed, meant->value);
    }
}

enum hf_status hf_conf_check_line(
    struct hf_conf_check *check, struct hf_text line, struct hf_error *err)
{
    if (line.size > HF_LIMIT_CONF_BYTES)
        return hf_error_set(err, HF_ERR_LIMIT,
            "the options are longer than %u bytes (HF_LIMIT_CONF_BYTES)", HF_LIMIT_CONF_BYTES);
    struct check_reader reader = {.check = check, .line = line};
    check_read_line(&reader);
    hf_conf_check_settings(check);
    bool is_wrong = check->fault_count != 0 || (line.size != 0 && line.data[line.size - 1] == ',');
    if (hf_conf_setting_of(check, "abort_conf").number == 1 && is_wrong &&
        hf_conf_complains(&check->target, line))
        hf_conf_say(check, true, hf_conf_column_of(check, "abort_conf"),
            "abort_conf:true: the program aborts when it starts, because of what jemalloc skips");
    write_fixed(check);
    if (check->is_out_of_memory || check->fixed.error.status != HF_OK)
        return hf_error_memory(err);
    return HF_OK;
}
