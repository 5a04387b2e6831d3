/*
 * name_list.h: a few names that somebody else keeps: files, folders, patterns of a command line.
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
