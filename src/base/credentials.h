/*
 * credentials.h: removes user and password from URLs, for everything that is shown or kept.
 *
 * Errors (error.h) and notes (profile/notes.h) take them off by themselves, whoever wrote the URL:
 * the user, a server that redirects, or libcurl.
 *
 * Safety: any context.
 *
 * Example:
 *
 *     char url[] = "cannot open http://bob:secret@host/heap";
 *     hf_credentials_hide(url, false);
 *     hf_out_string(out, url);
 */
#ifndef HF_BASE_CREDENTIALS_H
#define HF_BASE_CREDENTIALS_H

#include <stdbool.h>

/*
 * Of each "://USER:PASSWORD@" in `text` leaves "://". Of a text that was cut (`is_cut`), also
 * what stands after a last "://" that the cut may have parted from its "@".
 */
void hf_credentials_hide(char *text, bool is_cut);

#endif
