/*
 * option.h: one table per command: parsing, --help, the man page check and shell completion all
 * come from it.
 *
 * A value goes to `offset` in the command's options struct, whose type the kind says. Accepted are
 * --name VALUE, --name=VALUE, -name (one dash, as jeprof's users type), any unambiguous beginning
 * of a name, also in capitals, -x for the short name, -xVALUE, -xy for two that take no value, and
 * "--" before the first operand that looks like an option. Options and operands may be mixed. Where
 * the table says so, --noname and --no-name undo an option that takes no value.
 */
#ifndef HF_CLI_OPTION_H
#define HF_CLI_OPTION_H

#include "base/containers/name_list.h"
#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum hf_option_kind {
    HF_OPTION_FLAG,   /* bool: set true */
    HF_OPTION_TEXT,   /* const char * */
    HF_OPTION_OUTPUT, /* the same, of a file that is written: a reader may write no other */
    HF_OPTION_LIST,   /* struct hf_name_list: may be given more than once */
    HF_OPTION_COUNT,  /* uint64_t */
    HF_OPTION_REAL,   /* double */
    HF_OPTION_BYTES,  /* uint64_t: at least 1, as "64MiB"; "+64MiB" is the same */
    HF_OPTION_TIME,   /* uint64_t: nanoseconds, as "30s" */
    HF_OPTION_WAIT,   /* the same, at least a millisecond */
    HF_OPTION_VALUE,  /* int: set to `value`; several names choose one of a set */
    HF_OPTION_NAME,   /* const char *: set to the option's own name, likewise */
    HF_OPTION_MAYBE,  /* const char *: the value of --name=VALUE; "" without one */
};

struct hf_option {
    const char *name; /* NULL ends a table */
    char short_name;  /* 0: none */
    enum hf_option_kind kind;
    int value; /* HF_OPTION_VALUE */
    size_t offset;
    const char *value_name; /* as help shows it: "FILE"; NULL for flags */
    const char *help;       /* one line; NULL: accepted but not shown (another tool's spelling) */
};

/*
 * What stands in a row between the short name and the help: HF_OPT_KIND(struct, member, "VALUE"),
 * where a member of another type does not compile. In a table, `#define AT(field) struct x, field`
 * makes it short:
 *
 *     {"rows", 'n', HF_OPT_COUNT(AT(rows), "N"), "print at most N rows"},
 *     {"json", 0, HF_OPT_FLAG(AT(is_json)), "print JSON"},
 */
#define HF_OPT_FLAG(...) HF_OPT_MIDDLE(HF_OPTION_FLAG, bool, __VA_ARGS__, NULL)
#define HF_OPT_TEXT(...) HF_OPT_MIDDLE(HF_OPTION_TEXT, const char *, __VA_ARGS__)
#define HF_OPT_OUTPUT(...) HF_OPT_MIDDLE(HF_OPTION_OUTPUT, const char *, __VA_ARGS__)
#define HF_OPT_LIST(...) HF_OPT_MIDDLE(HF_OPTION_LIST, struct hf_name_list, __VA_ARGS__)
#define HF_OPT_COUNT(...) HF_OPT_MIDDLE(HF_OPTION_COUNT, uint64_t, __VA_ARGS__)
#define HF_OPT_REAL(...) HF_OPT_MIDDLE(HF_OPTION_REAL, double, __VA_ARGS__)
#define HF_OPT_BYTES(...) HF_OPT_MIDDLE(HF_OPTION_BYTES, uint64_t, __VA_ARGS__)
#define HF_OPT_TIME(...) HF_OPT_MIDDLE(HF_OPTION_TIME, uint64_t, __VA_ARGS__)
#define HF_OPT_WAIT(...) HF_OPT_MIDDLE(HF_OPTION_WAIT, uint64_t, __VA_ARGS__)
#define HF_OPT_NAME(...) HF_OPT_MIDDLE(HF_OPTION_NAME, const char *, __VA_ARGS__, NULL)
#define HF_OPT_MAYBE(...) HF_OPT_MIDDLE(HF_OPTION_MAYBE, const char *, __VA_ARGS__)

/* HF_OPT_VALUE(struct, member, value): the member is an int or an enum. */
#define HF_OPT_VALUE(...) HF_OPT_VALUE_(__VA_ARGS__)
#define HF_OPT_VALUE_(type, member, value)                                                         \
    HF_OPTION_VALUE, value,                                                                        \
        HF_OPT_OFFSET(type, member, sizeof(((type *)0)->member) == sizeof(int)), NULL

/* Macros again, so that AT(member) has become two arguments. */
#define HF_OPT_MIDDLE(kind, wanted, ...) HF_OPT_MIDDLE_(kind, wanted, __VA_ARGS__)
#define HF_OPT_MIDDLE_(kind, wanted, type, member, value_name)                                     \
    kind, 0,                                                                                       \
        HF_OPT_OFFSET(                                                                             \
            type, member, __builtin_types_compatible_p(__typeof__(((type *)0)->member), wanted)),  \
        value_name
#define HF_OPT_OFFSET(type, member, is_right)                                                      \
    (offsetof(type, member) + 0 * sizeof(char[(is_right) ? 1 : -1]))

/* One row of every command that names addresses (symbol/cache/cache_folder.h); the member is a
 * bool. */
#define HF_OPTION_NO_CACHE(...)                                                                    \
    {                                                                                              \
        "no-cache", 0, HF_OPT_FLAG(__VA_ARGS__), "neither use nor update the symbol cache"         \
    }

/* One part of a command's table, under a heading in --help. */
struct hf_option_group {
    const char *heading;
    const struct hf_option *options;
};

/*
 * Of a group with the heading "" the options are shown with those before. After this group, an
 * abbreviation that begins an option before it, too, means that one: so that what heapflame adds
 * to another tool's options breaks no abbreviation.
 */
extern const struct hf_option hf_options_that_yield[];
#define HF_OPTIONS_THAT_YIELD                                                                      \
    {                                                                                              \
        NULL, hf_options_that_yield                                                                \
    }

/*
 * With this group in the table one dash begins short names only, as getopt(3) reads them: "-se X"
 * is -s -e X, and no beginning of --section.
 */
extern const struct hf_option hf_options_like_getopt[];
#define HF_OPTIONS_LIKE_GETOPT                                                                     \
    {                                                                                              \
        NULL, hf_options_like_getopt                                                               \
    }

/* With this group in the table all behind the first operand is operands: a command line. */
extern const struct hf_option hf_options_end_at_operand[];
#define HF_OPTIONS_END_AT_OPERAND                                                                  \
    {                                                                                              \
        NULL, hf_options_end_at_operand                                                            \
    }

/* In a table with this group, as in jeprof's, an option without a value can be undone by "no". */
extern const struct hf_option hf_options_undone_by_no[];
#define HF_OPTIONS_UNDONE_BY_NO                                                                    \
    {                                                                                              \
        NULL, hf_options_undone_by_no                                                              \
    }

/* The operands in their order, and the whole array may be changed by a command. */
struct hf_operands {
    const char **items; /* one more than argc, so never full */
    size_t count;
    char **words; /* of the whole command line, as main() has them; NULL: not known */
};

/*
 * Reads argv[1 ..). Groups end with an entry without options. HF_ERR_USAGE with a sentence that
 * names the option and, for a misspelt one, the nearest known.
 */
HF_MUST_CHECK enum hf_status hf_options_parse(const struct hf_option_group *groups, void *options,
    int argc, char **argv, struct hf_operands *operands, struct hf_error *err);

#endif
