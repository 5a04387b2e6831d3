/*
 * exec.c: the family of exec(3), as the program sees it: what the process becomes is recorded on
 * (environment.h). All come down to execve, execvpe, fexecve and execveat of whoever stands behind.
 */
#include "base/gate.h"
#include "environment.h"
#include "event.h"
#include "pages.h"
#include "real.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <unistd.h>

#define FEW 128 /* arguments that have room on the stack */

/* `call` is the real function's, with `given` for the environment. */
#define EXEC(program, variables, call)                                                             \
    char *const *own = (variables), *const *given = hf_environment_for_exec(program, own);         \
    int result = call;                                                                             \
    hf_environment_give_back(given, own);                                                          \
    return result

HF_HOOK int execve(const char *path, char *const arguments[], char *const variables[]);
int execve(const char *path, char *const arguments[], char *const variables[])
{
    EXEC(path, variables, hf_real.execve(path, arguments, given));
}

HF_HOOK int execv(const char *path, char *const arguments[]);
int execv(const char *path, char *const arguments[])
{
    EXEC(path, environ, hf_real.execve(path, arguments, given));
}

HF_HOOK int execvpe(const char *file, char *const arguments[], char *const variables[]);
int execvpe(const char *file, char *const arguments[], char *const variables[])
{
    EXEC(file, variables, hf_real.execvpe(file, arguments, given));
}

HF_HOOK int execvp(const char *file, char *const arguments[]);
int execvp(const char *file, char *const arguments[])
{
    EXEC(file, environ, hf_real.execvpe(file, arguments, given));
}

HF_HOOK int fexecve(int file, char *const arguments[], char *const variables[]);
int fexecve(int file, char *const arguments[], char *const variables[])
{
    EXEC(NULL, variables, hf_real.fexecve(file, arguments, given));
}

/* NULL: what it names cannot be told from the name alone. */
static const char *program_at(int folder, const char *path)
{
    bool is_plain = path != NULL && (path[0] == '/' || (folder == AT_FDCWD && path[0] != '\0'));
    return is_plain ? path : NULL;
}

HF_HOOK int execveat(
    int folder, const char *path, char *const arguments[], char *const variables[], int flags);
int execveat(
    int folder, const char *path, char *const arguments[], char *const variables[], int flags)
{
    EXEC(program_at(folder, path), variables,
        hf_real.execveat(folder, path, arguments, given, flags));
}

/* The arguments of execl and its like as an array; NULL, and errno, without memory for it. */
static char **gather(const char *first, va_list *rest, char **few, size_t *out_count)
{
    va_list counted;
    size_t count = 1;
    va_copy(counted, *rest);
    while (first != NULL && va_arg(counted, char *) != NULL)
        count++;
    va_end(counted);
    char **all = count < FEW ? few : hf_pages_map((count + 1) * sizeof *all);
    *out_count = count;
    if (all == NULL) {
        errno = ENOMEM;
        return NULL;
    }
    all[0] = (char *)(uintptr_t)first;
    for (size_t i = 1; first != NULL && i <= count; i++)
        all[i] = va_arg(*rest, char *);
    return all;
}

/* Where the program is looked for, and which variables it gets. */
enum exec_list_how { EXEC_LIST_HERE, EXEC_LIST_ON_PATH, EXEC_LIST_WITH_VARIABLES };

static int exec_list(const char *file, const char *first, va_list *rest, enum exec_list_how how)
{
    char *few[FEW];
    size_t count;
    char **all = gather(first, rest, few, &count);
    if (all == NULL)
        return -1;
    char *const *variables =
        how == EXEC_LIST_WITH_VARIABLES ? va_arg(*rest, char *const *) : environ;
    int result =
        how == EXEC_LIST_ON_PATH ? execvpe(file, all, variables) : execve(file, all, variables);
    int error = errno;
    if (all != few)
        hf_pages_unmap(all, (count + 1) * sizeof *all);
    errno = error;
    return result;
}

HF_HOOK int execl(const char *path, const char *first, ...);
int execl(const char *path, const char *first, ...)
{
    va_list rest;
    va_start(rest, first);
    int result = exec_list(path, first, &rest, EXEC_LIST_HERE);
    va_end(rest);
    return result;
}

HF_HOOK int execlp(const char *file, const char *first, ...);
int execlp(const char *file, const char *first, ...)
{
    va_list rest;
    va_start(rest, first);
    int result = exec_list(file, first, &rest, EXEC_LIST_ON_PATH);
    va_end(rest);
    return result;
}

HF_HOOK int execle(const char *path, const char *first, ...);
int execle(const char *path, const char *first, ...)
{
    va_list rest;
    va_start(rest, first);
    int result = exec_list(path, first, &rest, EXEC_LIST_WITH_VARIABLES);
    va_end(rest);
    return result;
}
