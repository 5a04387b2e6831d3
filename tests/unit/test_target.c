/* Which program will run, and whether it can be recorded: scripts, and images that this test
 * writes. */
#include "capture/target.h"

#include "check.h"
#include "folder.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

static char top[64];

static int begin(void **state)
{
    (void)state;
    (void)snprintf(top, sizeof top, "/tmp/target-XXXXXX");
    umask(022);
    return mkdtemp(top) != NULL ? chdir(top) : -1;
}

static int end(void **state)
{
    (void)state;
    return chdir("/") == 0 ? folder_remove(top) : -1;
}

static void write_file(const char *name, mode_t mode, const void *bytes, size_t size)
{
    int fd = open(name, O_CREAT | O_TRUNC | O_WRONLY, 0600);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, bytes, size), size);
    close(fd);
    assert_int_equal(chmod(name, mode), 0);
}

static void write_script(const char *name, const char *text)
{
    write_file(name, 0755, text, strlen(text));
}

static void check_found(const char *command, const char *path)
{
    struct hf_target target;
    struct hf_error err;
    check_case = command;
    check_ok(hf_target_find(command, &target, &err), &err);
    assert_string_equal(target.path, path);
}

static void check_lost(const char *command, const char *said)
{
    struct hf_target target;
    struct hf_error err;
    check_case = command;
    assert_int_equal(hf_target_find(command, &target, &err), HF_ERR_SYSTEM);
    check_error(&err, said);
}

static void test_path(void **state)
{
    (void)state;
    assert_int_equal(mkdir("first", 0755) | mkdir("second", 0755), 0);
    write_file("first/plain", 0644, "text", 4);
    write_file("second/plain", 0755, "text", 4);
    write_file("second/own", 0755, "text", 4);
    write_file("here", 0755, "text", 4);
    setenv("PATH", "first:second", 1);
    check_found("plain", "second/plain"); /* the first one cannot be run */
    check_found("own", "second/own");
    check_found("./second/own", "./second/own");
    check_lost("here", "cannot run here: it is not in $PATH");
    check_lost("first/plain", "cannot run first/plain: Permission denied");
    check_lost("first/none", "cannot run first/none: No such file or directory");
    check_lost("./first", "cannot run ./first: Permission denied");
    setenv("PATH", "first::second", 1); /* an empty one is the folder itself */
    check_found("here", "here");
    setenv("PATH", "", 1);
    check_lost("own", "cannot run own: it is not in $PATH");
    unsetenv("PATH");
    check_found("sh", access("/bin/sh", X_OK) == 0 ? "/bin/sh" : "/usr/bin/sh");
    check_case = "";
}

static void test_scripts(void **state)
{
    (void)state;
    char last[128], five[128], six[128], text[256];
    (void)snprintf(last, sizeof last, "%s/last", top);
    write_file("last", 0755, "text", 4);
    setenv("PATH", top, 1);
    (void)snprintf(text, sizeof text, "#!%s\nwords\n", last);
    write_script("one", text);
    (void)snprintf(text, sizeof text, "#! \t%s  -x -y\n", last);
    write_script("blanks", text);
    (void)snprintf(text, sizeof text, "#!%s\r\n", last);
    write_script("from-windows", text);
    write_script("by-env", "#!/usr/bin/env last -x\n");
    write_script("by-env-too", "#!env last");
    write_script("env", "#!no such program\n"); /* looked for, it would be found here */
    write_script("gone", "#!/none/there\n");
    write_script("empty", "#!\n");
    check_found("./one", last);
    check_found("blanks", last);
    check_found("from-windows", last);
    check_found("by-env", last);
    check_found("by-env-too", last);
    check_lost("./gone", "cannot run /none/there: No such file or directory");
    /* As many as the kernel follows. */
    (void)snprintf(text, sizeof text, "#!%s\n", last);
    write_script("chain1", text);
    for (int i = 2; i <= 6; i++) {
        char name[32];
        (void)snprintf(text, sizeof text, "#!%s/chain%d\n", top, i - 1);
        (void)snprintf(name, sizeof name, "chain%d", i);
        write_script(name, text);
    }
    (void)snprintf(five, sizeof five, "%s/last", top);
    (void)snprintf(six, sizeof six, "%s/chain1", top);
    check_found("./chain4", five);
    check_found("./chain5", five);
    check_found("./chain6", six);
    check_case = "";
}

struct image {
    Elf64_Ehdr head;
    Elf64_Phdr interpreter, load;
    char linker[32];
    char bytes[64];
};

static void write_image(const char *name, uint16_t machine, const char *linker)
{
    struct image image = {
        .head = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB,
                     EV_CURRENT},
            .e_type = ET_DYN,
            .e_machine = machine,
            .e_version = EV_CURRENT,
            .e_phoff = offsetof(struct image, interpreter),
            .e_ehsize = sizeof(Elf64_Ehdr),
            .e_phentsize = sizeof(Elf64_Phdr),
            .e_phnum = 2,
            .e_shentsize = sizeof(Elf64_Shdr)},
        .interpreter = {.p_type = linker[0] != '\0' ? PT_INTERP : PT_NULL,
            .p_offset = offsetof(struct image, linker),
            .p_filesz = sizeof image.linker},
        .load = {.p_type = PT_LOAD, .p_filesz = sizeof image, .p_memsz = sizeof image},
    };
    (void)snprintf(image.linker, sizeof image.linker, "%s", linker);
    write_file(name, 0755, &image, sizeof image);
}

static void check_image_of(const char *name, enum hf_status status, const char *said)
{
    struct hf_target target = {.is_go = true};
    struct hf_error err;
    check_case = name;
    (void)snprintf(target.path, sizeof target.path, "%s", name);
    assert_int_equal(hf_target_check(&target, &err), status);
    if (status != HF_OK) {
        check_error(&err, said);
        return;
    }
    assert_false(target.is_go);
    assert_false(target.has_own_malloc);
}

static void test_images(void **state)
{
    (void)state;
    write_image("fine", EM_X86_64, "/lib64/ld-linux-x86-64.so.2");
    write_image("arm", EM_AARCH64, "/lib/ld-linux-aarch64.so.1");
    write_image("static", EM_X86_64, "");
    write_image("musl", EM_X86_64, "/lib/ld-musl-x86_64.so.1");
    write_script("text", "words");
    check_image_of("fine", HF_OK, NULL);
    check_image_of("arm", HF_ERR_USAGE,
        "arm is not built for x86-64, the only architecture that the agent supports");
    check_image_of("static", HF_ERR_USAGE,
        "static is linked statically, so the agent cannot be preloaded: link it dynamically "
        "(without -static), or watch it while it runs (heapflame attach PID)");
    check_image_of("musl", HF_ERR_USAGE,
        "musl uses musl (/lib/ld-musl-x86_64.so.1), but the agent needs glibc: build it for glibc, "
        "or link a jemalloc with profiling into it");
    check_image_of("text", HF_ERR_INPUT, "text: offset 0x0: is not an ELF file");
    check_image_of("none", HF_ERR_SYSTEM, "cannot open none: No such file or directory");
    check_case = "";
}

static void test_rights(void **state)
{
    static const struct {
        mode_t mode;
        uid_t user;
        gid_t group;
        bool is_secure;
    } cases[] = {
        {0755, 12345, 12345, false},
        {04755, 12345, 0, true},
        {04755, 0, 0, false}, /* it becomes who we are */
        {02755, 0, 12345, true},
        {02745, 0, 12345, false}, /* a lock, no right */
        {02755, 0, 0, false},
    };
    (void)state;
    struct hf_error err;
    check_ok(hf_target_check_rights("none", &err), &err); /* there is nothing to fear */
    if (geteuid() != 0 || getegid() != 0)
        skip();
    for (size_t i = 0; i < HF_COUNT(cases); i++) {
        write_image("right", EM_X86_64, "/lib64/ld-linux-x86-64.so.2");
        assert_int_equal(chown("right", cases[i].user, cases[i].group), 0);
        assert_int_equal(chmod("right", cases[i].mode), 0);
        enum hf_status status = hf_target_check_rights("right", &err);
        assert_int_equal(status, cases[i].is_secure ? HF_ERR_USAGE : HF_OK);
        if (cases[i].is_secure)
            check_error(&err,
                "right runs with rights that you do not have (setuid, setgid or file "
                "capabilities), so the dynamic linker preloads nothing: run it as the user that it "
                "becomes");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_path),
        cmocka_unit_test(test_scripts),
        cmocka_unit_test(test_images),
        cmocka_unit_test(test_rights),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
