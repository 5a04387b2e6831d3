#include "base/credentials.h"

#include <string.h>

void hf_credentials_hide(char *text, bool is_cut)
{
    static const char mark[] = "://";
    for (char *at = strstr(text, mark); at != NULL; at = strstr(at, mark)) {
        at += strlen(mark);
        /* RFC 3986, 3.2: where the authority ends; its last '@' ends the user's part. */
        size_t size = strcspn(at, "/?# \t\r\n");
        if (is_cut && at[size] == '\0') {
            *at = '\0';
            return;
        }
        for (size_t i = size; i > 0; i--) {
            if (at[i - 1] == '@') {
                memmove(at, at + i, strlen(at + i) + 1);
                break;
            }
        }
    }
}
