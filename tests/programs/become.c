/*
 * Becomes another program: "become HOW PROGRAM [ARGUMENT]...", at most three arguments. With "seen"
 * for HOW it prints what it, a child of it and a program that a child becomes see of the variables
 * by which it is recorded.
 */
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static void count(const char *who, char **variables)
{
    unsigned ours = 0;
    for (; *variables != NULL; variables++)
        ours += strstr(*variables, "libheapflame") != NULL ||
                strncmp(*variables, "HEAPFLAME_CONF", 14) == 0;
    printf("%s %u\n", who, ours);
    fflush(stdout);
}

static int see(char **argv, char **variables)
{
    int how;
    char *words[] = {argv[0], "child", NULL};
    count("main", variables);
    count("environ", environ);
    pid_t child = fork();
    if (child == 0) {
        execv("/proc/self/exe", words);
        _exit(1);
    }
    waitpid(child, &how, 0);
    child = vfork();
    if (child == 0) {
        execve("/proc/self/exe", words, environ);
        _exit(1);
    }
    waitpid(child, &how, 0);
    if (posix_spawn(&child, "/proc/self/exe", NULL, NULL, words, environ) == 0)
        waitpid(child, &how, 0);
    child = fork();
    if (child == 0)
        execl("/bin/sh", "sh", "-c", "test -z \"$HEAPFLAME_CONF\" && echo shell ${LD_PRELOAD:-0}",
            NULL);
    waitpid(child, &how, 0);
    return 0;
}

int main(int argc, char **argv, char **variables)
{
    if (argc == 2 && strcmp(argv[1], "child") == 0) {
        count("child", environ);
        return 0;
    }
    if (argc == 2 && strcmp(argv[1], "seen") == 0)
        return see(argv, variables);
    if (argc < 3)
        return 2;
    const char *how = argv[1], *to = argv[2];
    char **words = argv + 2, *none[] = {"ONLY=this", NULL};
    char *a[4] = {to != NULL ? argv[2] : NULL};
    for (int i = 1; i < 4 && i + 2 < argc; i++)
        a[i] = argv[i + 2];
    execve("/nowhere", words, environ); /* one that fails leaves all as it was */
    count("after", environ);
    if (strcmp(how, "execve") == 0)
        execve(to, words, environ);
    else if (strcmp(how, "execv") == 0)
        execv(to, words);
    else if (strcmp(how, "execvp") == 0)
        execvp(to, words);
    else if (strcmp(how, "execvpe") == 0)
        execvpe(to, words, environ);
    else if (strcmp(how, "empty") == 0)
        execve(to, words, none);
    else if (strcmp(how, "execl") == 0)
        execl(to, a[0], a[1], a[2], a[3], NULL);
    else if (strcmp(how, "execlp") == 0)
        execlp(to, a[0], a[1], a[2], a[3], NULL);
    else if (strcmp(how, "execle") == 0)
        execle(to, a[0], a[1], a[2], a[3], NULL, environ);
    else if (strcmp(how, "fexecve") == 0)
        fexecve(open(to, O_RDONLY | O_CLOEXEC), words, environ);
    else if (strcmp(how, "execveat") == 0)
        execveat(AT_FDCWD, to, words, environ, 0);
    else if (strcmp(how, "syscall") == 0)
        syscall(SYS_execve, to, words, environ);
    return 1;
}
