/* folder.h: removes the folder that a test made, with all that is in it. */
#ifndef HF_TESTS_UNIT_FOLDER_H
#define HF_TESTS_UNIT_FOLDER_H

#include "base/attr.h"

#include <ftw.h>
#include <stdio.h>

static inline int folder_remove_one(
    const char *path, const struct stat *info, int kind, struct FTW *place)
{
    (void)info, (void)kind, (void)place;
    return remove(path);
}

/* 0 if nothing is left; links are not followed. */
static HF_UNUSED int folder_remove(const char *path)
{
    return nftw(path, folder_remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

#endif
