/*
 * code.c SCENE [AMOUNT]: code that comes and goes, and code and stacks as no compiler makes them.
 * Plugins are built of plugin.c, and lie in the current folder.
 */
#include "scene.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

struct plugin {
    void *library;
    void *(*allocate)(size_t);
};

static struct plugin open_plugin(const char *name, unsigned number, const char *function)
{
    char path[64];
    snprintf(path, sizeof path, "./%s%u.so", name, number);
    struct plugin plugin = {.library = dlopen(path, RTLD_NOW)};
    require(plugin.library != NULL, path);
    *(void **)&plugin.allocate = dlsym(plugin.library, function);
    require(plugin.allocate != NULL, function);
    return plugin;
}

/* Code of no file, anywhere or in this page: calls `function` with `size`, and rbp as it is told.
 */
static void *(*make_code_at(void *page, void *(*function)(size_t), uint64_t size, uint64_t rbp))(
    void)
{
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | (page != NULL ? MAP_FIXED : 0);
    uint8_t *code = mmap(page, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, flags, -1, 0);
    require(code != MAP_FAILED, "mmap");
    static const uint8_t bytes[] = {
        0x55,                               /* push rbp */
        0x48, 0xbd, 0, 0, 0, 0, 0, 0, 0, 0, /* mov rbp, ... */
        0x48, 0xbf, 0, 0, 0, 0, 0, 0, 0, 0, /* mov rdi, ... */
        0x48, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, /* mov rax, ... */
        0xff, 0xd0, 0x5d, 0xc3,             /* call rax; pop rbp; ret */
    };
    memcpy(code, bytes, sizeof bytes);
    memcpy(code + 3, &rbp, sizeof rbp);
    memcpy(code + 13, &size, sizeof size);
    memcpy(code + 23, &function, sizeof function);
    void *(*made)(void);
    *(void **)&made = code;
    return made;
}

static void *(*make_code(void *(*function)(size_t), uint64_t size, uint64_t rbp))(void)
{
    return make_code_at(NULL, function, size, rbp);
}

static _Atomic uint64_t loaded; /* a function of a plugin, which may be gone */

/* Loads its own plugin again and again, which allocates with the loader's lock held. */
static void *load(void *argument)
{
    static _Atomic unsigned number;
    unsigned mine = number++;
    for (unsigned long i = 0; i < amount(25); i++) {
        struct plugin plugin = open_plugin("plugin", mine, "allocate");
        loaded = (uint64_t)plugin.allocate;
        free(plugin.allocate(BLOCK));
        dlclose(plugin.library);
        keep();
    }
    return argument;
}

NOT_INLINED static void churn_at_depth(unsigned depth)
{
    if (depth != 0)
        churn_at_depth(depth - 1);
    else
        churn(20);
}

static void *churn_deep(void *argument)
{
    for (unsigned i = 0; i < amount(25) * 8; i++)
        churn_at_depth(i % 100);
    return argument;
}

/* Frame pointers lead into what others load and unload. */
static void *led(void *argument)
{
    uint64_t frame[2] = {0, 0}, page = 0;
    void *(*code)(void) = make_code(malloc, BLOCK, (uint64_t)frame);
    for (unsigned i = 0; i < amount(25) * 200; i++) {
        page = i % 50 == 0 ? loaded & ~UINT64_C(4095) : page;
        frame[1] = page != 0 ? page + i * 7 % 4096 : 0;
        free(code());
    }
    return argument;
}

/* Eight threads load and unload while eight allocate, at ever new places. */
static void scene_loader(void)
{
    static void *(*const roles[])(void *) = {churn_deep, load, led, load};
    pthread_t threads[16];
    for (unsigned i = 0; i < 16; i++)
        require(pthread_create(&threads[i], NULL, roles[i % 4], NULL) == 0, "thread");
    for (unsigned i = 0; i < 16; i++)
        pthread_join(threads[i], NULL);
}

/* Two libraries that are mapped at the same place, one after the other, several times. */
static void scene_reload(void)
{
    unsigned long counts[2] = {0};
    static const char *const functions[] = {"from_one", "from_other"};
    void *place = NULL;
    for (unsigned i = 0; i < 20; i++) {
        struct plugin plugin = open_plugin("reload", i % 2, functions[i % 2]);
        require(place == NULL || place == (void *)plugin.allocate, "another address");
        place = (void *)plugin.allocate;
        for (unsigned n = 0; n <= i; n++, counts[i % 2]++)
            last = plugin.allocate(BLOCK);
        dlclose(plugin.library);
    }
    for (unsigned i = 0; i < 2; i++)
        printf("%s %lu %lu\n", functions[i], counts[i], counts[i] * BLOCK);
    fflush(stdout);
}

/* A library that comes back at another address each time. */
static void scene_moving(void)
{
    for (unsigned i = 0; i < 4; i++) {
        struct plugin plugin = open_plugin("plugin", 0, "allocate");
        void *page = (void *)((uintptr_t)plugin.allocate & ~UINT64_C(4095));
        free(plugin.allocate(BLOCK));
        dlclose(plugin.library);
        require(mmap(page, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1,
                    0) == page,
            "it is still there");
    }
}

/* Libraries whose thread-local storage is allocated when it is first used, in any function. */
static void scene_modules(void)
{
    unsigned count = (unsigned)amount(80);
    for (unsigned i = 0; i < count; i++) {
        struct plugin plugin = open_plugin("module", i, "allocate");
        free(plugin.allocate(BLOCK));
        run_threads(1, work, (void *)20);
    }
}

static void call_with_rbp(uint64_t rbp)
{
    void *(*code)(void) = make_code(malloc, BLOCK, rbp);
    free(code());
    munmap(*(void **)&code, 4096);
}

static ucontext_t main_context, routine_context;

/* On a stack of its own: `size` bytes from `stack` on. */
static void call_on(uint8_t *stack, size_t size, void (*routine)(void))
{
    getcontext(&routine_context);
    routine_context.uc_stack.ss_sp = stack;
    routine_context.uc_stack.ss_size = size;
    routine_context.uc_link = &main_context;
    makecontext(&routine_context, routine, 0);
    swapcontext(&main_context, &routine_context);
}

static uint8_t *hole;

/* In front of the hole, which no walk may come to. */
static void call_near_hole(void)
{
    for (uint64_t i = 0; i < 4096; i += 512)
        call_with_rbp((uint64_t)hole + i);
}

/* Frame pointers that point anywhere, in code without call frame information. */
static void scene_frames(void)
{
    uint8_t *stack =
        mmap(NULL, 5 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    hole = stack + 4 * 4096;
    require(stack != MAP_FAILED && mprotect(hole, 4096, PROT_NONE) == 0, "mmap");
    call_on(stack, 4 * 4096, call_near_hole);
    extern void *__libc_stack_end;
    uint64_t circle[4], end = (uint64_t)__libc_stack_end, here = (uint64_t)circle;
    circle[0] = here, circle[1] = (uint64_t)scene_frames;
    circle[2] = here - 64, circle[3] = (uint64_t)scene_frames;
    uint64_t frames[] = {0, 1, 7, 8, 4096, here, here + 1, here + 16, here - 4096, end - 8,
        end - 16, end - 1, end, end + 4096, end + (1 << 20), (uint64_t)hole, (uint64_t)hole + 4090,
        (uint64_t)1 << 47, ((uint64_t)1 << 63) + 8, UINT64_MAX, UINT64_MAX - 7, UINT64_MAX - 15};
    for (unsigned i = 0; i < sizeof frames / sizeof *frames; i++)
        call_with_rbp(frames[i]);
    uint64_t seed = 7;
    for (unsigned long i = 0; i < amount(2000); i++) {
        seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
        call_with_rbp(i % 2 ? seed : here + seed % 65536);
    }
    keep();
}

/* An image that is mapped and unmapped without the loader, when the agent has seen it. Then a frame
 * pointer leads to where it was. */
static void scene_gone(void)
{
    uint64_t frame[2] = {0, 0};
    void *(*code)(void) = make_code(malloc, BLOCK, (uint64_t)frame);
    int file = open("plugin0.so", O_RDONLY);
    off_t size = lseek(file, 0, SEEK_END);
    char *image = mmap(NULL, (size_t)size, PROT_READ | PROT_EXEC, MAP_PRIVATE, file, 0);
    require(image != MAP_FAILED, "plugin0.so");
    free(code()); /* new code, so that the agent looks around */
    require(mprotect(image, (size_t)size, PROT_NONE) == 0, "mprotect");
    for (off_t at = 64; at < size; at += 64) {
        frame[1] = (uint64_t)image + (uint64_t)at;
        free(code());
    }
    keep();
}

static uint64_t closed;

/* behind_dlclose.c calls it before the dlclose returns: other code has come to the place already.
 */
static void call_in_its_place(void)
{
    void *(*code)(void) = make_code_at((void *)(closed & ~UINT64_C(4095)), malloc, BLOCK, 0);
    free(code());
    munmap(*(void **)&code, 4096);
}

static void scene_closing(void)
{
    void (**on_close)(void) = (void (**)(void))dlsym(RTLD_DEFAULT, "on_close");
    require(on_close != NULL, "on_close");
    *on_close = call_in_its_place;
    for (int i = 0; i < 3; i++) {
        struct plugin plugin = open_plugin("plugin", 1, "allocate");
        free(plugin.allocate(BLOCK));
        closed = (uint64_t)plugin.allocate;
        dlclose(plugin.library);
        keep();
    }
}

static int is_cancelled_late;

/* Cancelled from the start, it comes to new code, so that the agent reads the map. */
static void *cancelled(void *argument)
{
    pthread_cancel(pthread_self());
    void *(*code)(void) = make_code(malloc, BLOCK, 0);
    free(code());
    is_cancelled_late = 1;
    pthread_testcancel();
    return argument;
}

static void scene_cancel(void)
{
    pthread_t thread;
    void *result;
    for (int i = 0; i < 20; i++) {
        is_cancelled_late = 0;
        require(pthread_create(&thread, NULL, cancelled, NULL) == 0, "pthread_create");
        pthread_join(thread, &result);
        require(result == PTHREAD_CANCELED && is_cancelled_late, "it ended in the agent");
        keep();
    }
}

#define ROOM (256 << 10)
static uint8_t *room;

static void allocate_once(void)
{
    last = malloc(BLOCK);
    free(last);
}

/* Bytes of stack that `routine` touches. */
static size_t stack_used(void (*routine)(void))
{
    memset(room, 0xa5, ROOM);
    call_on(room, ROOM, routine);
    size_t untouched = 0;
    while (untouched < ROOM && room[untouched] == 0xa5)
        untouched++;
    return ROOM - untouched;
}

static void in_new_code(void)
{
    void *(*code)(void) = make_code(malloc, BLOCK, 0);
    free(code());
}

/* How much stack a recorded malloc and free need, at a known place and where all is new. */
static void scene_stack(void)
{
    room = mmap(NULL, ROOM, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    require(room != MAP_FAILED, "mmap");
    size_t cold = stack_used(allocate_once);
    (void)stack_used(allocate_once);
    size_t hot = stack_used(allocate_once), new_code = stack_used(in_new_code);
    fprintf(stderr, "cold %zu hot %zu new-code %zu\n", cold, hot, new_code);
}

/* Nothing but read, write and exit is allowed: what does not grow needs no more. */
static void scene_seccomp(void)
{
    churn(2000);
    keep();
    require(prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT) == 0, "prctl");
    churn(2000);
    for (int i = 0; i < 7; i++)
        keep();
    char line[] = "keep 8 384\n";
    syscall(SYS_exit, write(STDOUT_FILENO, line, sizeof line - 1) < 0);
}

/* A library is closed, and what it left behind goes on to be used. */
static void scene_nodelete(void)
{
    for (int i = 0; i < 3; i++) {
        void *agent = dlopen(getenv("AGENT"), RTLD_NOW);
        require(agent != NULL, "dlopen");
        dlclose(agent);
    }
    find_agent();
    run_threads(20, work, (void *)100);
    require(agent_start != 0, "the agent is gone");
}

int main(int argc, char **argv)
{
    static const struct scene scenes[] = {
        {"loader", scene_loader},
        {"reload", scene_reload},
        {"moving", scene_moving},
        {"modules", scene_modules},
        {"frames", scene_frames},
        {"gone", scene_gone},
        {"closing", scene_closing},
        {"cancel", scene_cancel},
        {"stack", scene_stack},
        {"seccomp", scene_seccomp},
        {"nodelete", scene_nodelete},
    };
    return play(scenes, sizeof scenes / sizeof *scenes, argc, argv);
}
