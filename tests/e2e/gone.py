#!/usr/bin/env python3
# timeout: 240
"""Files that are not at their path any more: deleted or replaced while their process runs, or only in its container.
They are found through the process, as long as that is the one that was profiled; otherwise nothing is named."""

import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

from _heap import HEAPFLAME, need, run
from _suite import run_tests

need("gcc")

LIBRARY = r"""
#include <stdlib.h>
void *volatile library_kept;
__attribute__((noinline)) void library_keep(size_t size) { library_kept = malloc(size); }
"""

PROGRAM = r"""
#include <jemalloc/jemalloc.h>
#include <stdio.h>
#include <unistd.h>
void library_keep(size_t size);
static void *volatile kept;
__attribute__((noinline)) static void keep(size_t size) { kept = malloc(size); }
int main(void)
{
    keep(1024);
    library_keep(2048);
    return mallctl("prof.dump", NULL, NULL, NULL, 0) != 0 || puts("ready") < 0 || fflush(stdout) != 0 || pause();
}
"""

IN_VDSO = r"""
#define _GNU_SOURCE
#include <jemalloc/jemalloc.h>
#include <signal.h>
#include <stdio.h>
#include <sys/auxv.h>
#include <sys/time.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>
static volatile int is_there;
static void *volatile kept;
/* Allocates as soon as the timer hits the kernel's code, which has three pages at most. */
static void handler(int number, siginfo_t *info, void *context)
{
    (void)number, (void)info;
    unsigned long vdso = getauxval(AT_SYSINFO_EHDR);
    unsigned long at = (unsigned long)((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];
    if (!is_there && at - vdso < 3 * 4096) {
        kept = malloc(1024);
        is_there = 1;
    }
}
int main(void)
{
    struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO};
    struct itimerval often = {{0, 1000}, {0, 1000}}, never = {{0, 0}, {0, 0}};
    struct timespec now;
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &often, NULL);
    for (long i = 0; !is_there && i < 500000000; i++) clock_gettime(CLOCK_MONOTONIC, &now);
    setitimer(ITIMER_REAL, &never, NULL);
    return mallctl("prof.dump", NULL, NULL, NULL, 0) != 0 || puts("ready") < 0 || fflush(stdout) != 0 || pause();
}
"""

OTHER = "int main(void) { return 0; }\n"


class Running:
    """The program, until the test is done with it, and its dump."""

    def __init__(self, *before, source=PROGRAM):
        Path("library.c").write_text(LIBRARY)
        Path("program.c").write_text(source)
        run("gcc", "-O1", "-g", "-fPIC", "-shared", "-o", "libkeep.so", "library.c")
        run("gcc", "-O1", "-g", "-Wl,--no-as-needed", "-o", "program", "program.c", "-ljemalloc", "./libkeep.so")
        conf = "prof:true,lg_prof_sample:0,prof_prefix:" + str(Path("dump").resolve())
        command = [*before, str(Path("program").resolve())]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, env={**os.environ, "MALLOC_CONF": conf})

    def __enter__(self):
        assert self.process.stdout.readline() == b"ready\n"
        (self.dump,) = Path().glob("dump.*.heap")
        return self

    def __exit__(self, *error):
        self.end()

    def end(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        self.process.stdout.close()


def fold(dump, *options):
    done = subprocess.run([HEAPFLAME, "fold", *options, dump], capture_output=True, text=True, check=True)
    return {int(line.rpartition(" ")[2]): line.rpartition(" ")[0] for line in done.stdout.splitlines()}, done.stderr


def replace(name):
    """As make and package managers do it: the new file has the name, not the place, of the old one."""
    Path("other.c").write_text(OTHER)
    run("gcc", "-O1", "-g", "-o", "other", "other.c")
    os.replace("other", name)


def test_the_program_is_deleted_or_replaced():
    for change in Path.unlink, replace:
        with Running() as running:
            whole, _ = fold(running.dump)
            assert whole[1024].endswith(";main;keep"), whole
            shutil.copy("program", "copy")
            change(Path("program"))
            text = running.dump.read_text().replace("/program\n", "/program (deleted)\n")  # as if it was dumped later
            running.dump.write_text(text)
            found, notes = fold(running.dump)
            assert found == whole, (found, notes)
            running.end()
            found, notes = fold(running.dump)
            assert re.search(r"program\+0x\w+;program\+0x\w+$", found[1024]), found
            assert re.search(r"/program was deleted or replaced while it ran, and its process is unknown or has ended", notes), notes
            assert fold(running.dump, "--exe", "copy")[0] == whole
            running.dump.unlink()


def test_another_process_has_the_number():
    """Its [vdso] lies elsewhere, so its files are not asked."""
    with Running() as running:
        Path("program").unlink()
        text = running.dump.read_text()
        changed = re.sub(r"(?m)^(\w+)000-(\w+)000( .*\[vdso\])$", lambda m: f"{int(m[1], 16) - 16:x}000-{int(m[2], 16) - 16:x}000{m[3]}", text)
        assert changed != text
        running.dump.write_text(changed.replace("/program\n", "/program (deleted)\n"))
        found, notes = fold(running.dump)
        assert "program+0x" in found[1024] and "is unknown or has ended" in notes, (found, notes)


def can_ask_mappings(process):
    folder = Path(f"/proc/{process}/map_files")
    try:
        return any(os.readlink(link) for link in folder.iterdir())
    except OSError:
        return False


def test_a_library_is_deleted():
    """Only who may restore processes sees it."""
    with Running() as running:
        whole, _ = fold(running.dump)
        assert whole[2048].endswith(";main;library_keep"), whole
        replace("libkeep.so")
        running.dump.write_text(running.dump.read_text().replace("/libkeep.so\n", "/libkeep.so (deleted)\n"))
        found, notes = fold(running.dump)
        if can_ask_mappings(running.process.pid):
            assert found == whole, (found, notes)
        else:
            assert "libkeep.so+0x" in found[2048] and "its process does not let you read it" in notes, (found, notes)


def test_in_a_container():
    """The files are below a mount that only the process has; at their paths there are others."""
    inside = Path("inside").resolve()
    inside.mkdir()
    script = f'mount -t tmpfs none "{inside}" && cp libkeep.so "{inside}" && cp "$0" "{inside}/program" && cd "{inside}" && exec "{inside}/program"'
    namespace = ["unshare", "-m"] if os.geteuid() == 0 else ["unshare", "-r", "-m"]
    if subprocess.run([*namespace, "mount", "-t", "tmpfs", "none", inside], capture_output=True, check=False).returncode != 0:
        print("no mount namespaces here")
        return
    with Running(*namespace, "sh", "-c", script) as running:
        found, notes = fold(running.dump)
        assert f"{inside}/program" in running.dump.read_text()
        assert found[1024].endswith(";main;keep") and found[2048].endswith(";main;library_keep"), (found, notes)


def test_the_kernels_code():
    """Its names are those of the kernel that runs, so of the process as long as that does."""
    with Running(source=IN_VDSO) as running:
        found, notes = fold(running.dump)
        assert re.search(r";main;.*;__vdso_clock_gettime;__restore_rt;handler$", found[1024]), (found, notes)
        running.end()
        found, notes = fold(running.dump)
        assert re.search(r";\[vdso\]\+0x", found[1024]) and "it is code of the kernel that the process ran on, and the process" in notes, (found, notes)


if __name__ == "__main__":
    sys.exit(run_tests(globals()))
