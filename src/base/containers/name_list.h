/*
 * name_list.h: a few names that somebody else keeps: files, folders, patterns of a command line.
 *
 * Example:
 *
 *     struct hf_name_list names = {{"a.heap"}, 1};
 *     for (size_t i = 0; i < names.count; i++)
 *         hf_out_string(out, names.items[i]);
 */
#ifndef HF_BASE_NAME_LIST_H
#define HF_BASE_NAME_LIST_H

#include <stddef.h>

#define HF_NAME_LIST_MAX 64

struct hf_name_list {
    const char *items[HF_NAME_LIST_MAX]; /* borrowed */
    size_t count;
};

#endif
