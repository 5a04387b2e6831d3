#!/usr/bin/env python3
# timeout: 240
# sanitized: no, a sanitizer needs rights of its own, so the worker keeps them
"""Readers without rights: heapflame-planted runs an exploit where the command reads a profile (tests/planted/planted.c).

Each thing that it tries fails; with --no-sandbox each is done, so that the list can tell.
"""

import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

from _attach import BACKENDS, Attached, Target, changed_code, events_of, need_root, tracefs
from _suite import run_tests

BUILD = Path(os.environ["BUILD"])
HEAPFLAME, PLANTED = BUILD / "heapflame", BUILD / "tests/heapflame-planted"
NOBODY = 65534
IS_ROOT = os.geteuid() == 0

# What each user may not do anyway, a worker aside.
NEEDS_ROOT = {"become root"}
# What depends on the kernel or its settings even with all rights.
NOT_EVERYWHERE = {"type", "namespace"}
WALLS = {"read a file", "write a file", "make a file", "remove a file", "change a mode", "link", "connect",
         "local socket", "fork", "exec", "signal", "ptrace", "read memory", "write memory", "open memory",
         "raise a limit", "namespace", "type", "become root"}


class Scene:
    """Files, a listening port and a process of the test's own, and the environment that names them."""

    def __init__(self, what):
        here = Path.cwd()
        for name in "secret", "gone":
            Path(name).write_text("the secret")
            Path(name).chmod(0o600)
        Path("cache").mkdir()
        Path("heapflame-mine").mkdir()
        Path("heapflame-mine/x.mark").symlink_to(here / "secret")
        Path("heapflame-mine/y.mark").write_text("a mark")
        Path("heapflame-mine/y.mark").chmod(0o600)
        Path("elsewhere").mkdir()
        Path("input.folded").write_text("a;b 1\n")
        os.mkfifo("fifo")
        if IS_ROOT:
            os.mknod("device", 0o666 | 0o020000, os.makedev(1, 3))
        self.server = socket.create_server(("127.0.0.1", 0))
        self.target = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"],
                                       env={**os.environ, "SECRET": "1"})
        maps = Path(f"/proc/{self.target.pid}/maps").read_text()
        mapping = re.search(r"(?m)^(\w+)-\w+ rw-p.*\[stack\]$", maps).group(1)
        port = self.server.getsockname()[1]
        self.environment = {
            **os.environ, "PLANTED": what, "PLANTED_FILE": str(here / "secret"), "PLANTED_NEW": str(here / "new"),
            "PLANTED_DISGUISED": str(here / "heapflame-mine/x.mark"), "PLANTED_MARK": str(here / "heapflame-mine/y.mark"),
            "PLANTED_FLAG": str(here / "flag"),
            "PLANTED_GONE": str(here / "gone"), "PLANTED_LINK": str(here / "link"), "PLANTED_PORT": str(port),
            "PLANTED_PID": str(self.target.pid), "PLANTED_ADDRESS": str(int(mapping, 16)), "PLANTED_FIFO": str(here / "fifo"),
            "PLANTED_DEVICE": str(here / "device"), "PLANTED_FOLDER": str(here / "elsewhere"),
            "PLANTED_CACHE": str(here / "cache/heapflame"), "PLANTED_URL": f"http://127.0.0.1:{port}/",
            "PLANTED_PROGRAM": str(HEAPFLAME), "XDG_CACHE_HOME": str(here / "cache"),
        }

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.target.kill()
        self.target.wait()
        self.server.close()

    def run(self, *options, stdin=subprocess.DEVNULL):
        done = subprocess.run([PLANTED, "top", *options, "input.folded"], env=self.environment, text=True,
                              capture_output=True, timeout=100, stdin=stdin)
        return done.returncode, tried_in(done.stderr), done.stderr


def tried_in(err):
    """{what: "done", or why not}, as planted.c says it."""
    return dict(re.findall(r"(?m)^([^:\n]+): (\w+)$", err))


def test_the_exploit_can_do_nothing():
    with Scene("walls") as scene:
        code, tried, err = scene.run()
        assert code == 3 and "the exploit has run" in err, (code, err)
        assert set(tried) == WALLS, set(tried) ^ WALLS
        done = {what for what, outcome in tried.items() if outcome == "done"}
        assert not done, done
        assert Path("secret").read_text() == "the secret" and Path("secret").stat().st_mode & 0o777 == 0o600
        assert Path("gone").exists() and not Path("new").exists() and not Path("link").is_symlink()


def test_with_its_rights_it_could():
    with Scene("walls") as scene:
        code, tried, _ = scene.run("--no-sandbox")
        assert code == 3, code
        failed = {what for what, outcome in tried.items() if outcome != "done"}
        assert failed <= NOT_EVERYWHERE | (set() if IS_ROOT else NEEDS_ROOT), failed


def test_the_broker_gives_only_what_was_asked_for():
    with Scene("broker") as scene:
        code, tried, _ = scene.run()
        assert code == 3 and len(tried) == 15, (code, tried)
        done = {what for what, outcome in tried.items() if outcome == "done"}
        assert done == {"a program", "a mark"}, tried
        assert not Path("new").exists() and not list(Path("elsewhere").iterdir())
        assert not list(Path("cache").rglob("*entry*")) and not list(Path("cache").rglob("00-*"))


def test_a_crash_costs_the_input_and_says_so():
    with Scene("crash") as scene:
        code, _, err = scene.run()
        assert code == 3 and "input.folded crashed (signal 11)" in err, (code, err)
        assert "nothing else is affected" in err, err


def test_a_signal_ends_both():
    """Of what kills the command the worker dies, too; and the other way round the command ends as it did."""
    for name in signal.SIGTERM, signal.SIGKILL:
        process = subprocess.Popen([HEAPFLAME, "top", "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        worker = worker_of(process.pid)
        os.kill(process.pid, name)
        assert process.wait(timeout=20) == -name
        assert ends(worker), f"the worker {worker} still runs"
        process.stdin.close()
        process.stdout.close()


def children_of(pid):
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def worker_of(pid):
    for _ in range(1000):
        children = children_of(pid)
        if children and "Seccomp:\t2" in Path(f"/proc/{children[0]}/status").read_text():
            return children[0]
        time.sleep(0.01)
    raise AssertionError("no worker")


def ends(pid):
    for _ in range(1000):
        try:
            if re.search(r"State:\s*[ZX]", Path(f"/proc/{pid}/status").read_text()):
                return True
        except FileNotFoundError:
            return True
        time.sleep(0.01)
    return False


def test_a_signal_ends_what_waits():
    """The broker waits for a FIFO, or a server, and ends at once all the same."""
    os.mkfifo("nobody")
    silent = socket.create_server(("127.0.0.1", 0))
    for operand in "nobody", f"http://127.0.0.1:{silent.getsockname()[1]}/heap":
        for name in signal.SIGINT, signal.SIGTERM:
            process = subprocess.Popen(["env", "--default-signal", HEAPFLAME, "top", operand], stderr=subprocess.DEVNULL)
            worker = worker_of(process.pid)
            time.sleep(0.3)  # it may have asked by then; before that the signal is waited for anyway
            os.kill(process.pid, name)
            assert process.wait(timeout=20) == -name, operand
            assert ends(worker), operand
    silent.close()


def test_what_the_worker_is():
    process = subprocess.Popen([HEAPFLAME, "top", "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    status = dict(line.split(":\t", 1) for line in
                  Path(f"/proc/{worker_of(process.pid)}/status").read_text().splitlines() if ":\t" in line)
    open_files = sorted(os.readlink(f"/proc/{worker_of(process.pid)}/fd/{name}").split(":")[0]
                        for name in os.listdir(f"/proc/{worker_of(process.pid)}/fd")) if IS_ROOT else None
    process.stdin.write(b"a;b 2\n")
    process.stdin.close()
    assert b"2 samples" in process.stdout.read()
    assert process.wait() == 0
    process.stdout.close()
    assert all(int(status[name], 16) == 0 for name in ("CapPrm", "CapEff", "CapInh", "CapAmb")), status
    assert (status["NoNewPrivs"], status["Seccomp"]) == ("1", "2"), status
    if IS_ROOT:
        assert status["Uid"].split() == [str(NOBODY)] * 4 and status["Gid"].split() == [str(NOBODY)] * 4, status
        assert status["Groups"].strip() == "", status
        assert open_files.count("socket") == 1 and len(open_files) == 4, open_files


def test_a_crash_costs_the_names_of_one_file():
    """The command repeats the work without the file that killed the reader."""
    source = Path("code.c")
    for name in "victim", "sound":
        source.write_text(f"int {name}_function(int x) {{ return x * 3; }}\n")
        subprocess.run(["gcc", "-g", "-shared", "-fPIC", "-o", f"lib{name}.so", source], check=True)
    stacks, maps = "", ""
    for start, name in (0x10000000, "victim"), (0x20000000, "sound"):
        path = Path(f"lib{name}.so").absolute()
        listed = subprocess.run(["nm", path], capture_output=True, text=True, check=True).stdout
        at = int(re.search(rf"(\w+) T {name}_function", listed).group(1), 16)
        stacks += f"@ {start + at + 2:#x}\n  t*: 1: 100 [0: 0]\n"
        maps += f"{start:x}-{start + 0x1000:x} r--p 00000000 00:00 9 {path}\n"
        maps += f"{start + 0x1000:x}-{start + 0x2000:x} r-xp 00001000 00:00 9 {path}\n"
    Path("two.heap").write_text(f"heap_v2/1\n  t*: 2: 200 [0: 0]\n{stacks}\nMAPPED_LIBRARIES:\n{maps}")
    done = subprocess.run([PLANTED, "top", "--no-cache", "two.heap"], capture_output=True, text=True, timeout=100,
                          env={**os.environ, "PLANTED": "crash of an image"})
    assert done.returncode == 4, done
    assert "sound_function" in done.stdout and "libvictim.so+0x" in done.stdout, done.stdout
    assert re.search(r"lost: the names in .*libvictim.so, because its reader crashed \(signal 11\)", done.stderr), done.stderr


ATTACH_WALLS = {"a map", "a program for the kernel", "an event", "priority", "to write memory"}
ASKED_OF_KEEPER = {"memory of others", "a file by its path", "out of the root", "through what it has open", "no file",
                   "two lines", "behind the end", "other registers", "a strange kind", "a place by its path", "to begin",
                   "a program unloaded", "another question", "a probe", "to open it", "a filter"}


def exploit_attach(scene, *options, **environment):
    done = run_exploit(scene, "attach", str(scene.target.pid), "-d", "1s", "-o", "out.folded", *options, **environment)
    return done.returncode, tried_in(done.stderr), done.stderr


def run_exploit(scene, *words, **environment):
    return subprocess.run([PLANTED, *words], env={**scene.environment, **environment}, capture_output=True, text=True, timeout=100,
                          check=False)


def no_event_is_left():
    assert ":planted/" not in (tracefs() / "uprobe_events").read_text()
    left = re.findall(r":heapflame_(\d+)/", (tracefs() / "uprobe_events").read_text())
    assert not [pid for pid in left if not Path(f"/proc/{pid}").exists()], left


def test_attach_is_read_without_rights():
    """Whoever takes over the reader of attach makes nothing in the kernel, and its keeper puts in what attach may."""
    need_root()
    with Scene("attach") as scene:
        for crash in {}, {"PLANTED_END": "crash"}:
            code, tried, err = exploit_attach(scene, **crash)
            # One that crashes is started again without the file that it read: until it has read none.
            assert code in ((3, 5) if crash else (3,)) and set(tried) == ATTACH_WALLS | ASKED_OF_KEEPER, (code, tried, err)
            done = {what for what, outcome in tried.items() if outcome == "done"}
            assert done == {"a probe", "to open it"}, done
            assert scene.target.poll() is None
            no_event_is_left()
        code, tried, err = exploit_attach(scene, "--no-sandbox")
        done = {what for what, outcome in tried.items() if outcome == "done"}
        assert code == 3 and ATTACH_WALLS - done <= {"to write memory"}, (code, tried, err)


def test_a_reader_of_attach_that_dies():
    """It costs what would have come, and nothing else: of bpf, what is in the kernel is read by another; exact then, too."""
    need_root()
    for backend, tree in (("bpf", ()), ("bpf", ("--tree",)), ("perf", ("--tree",))):
        with Target("threads", 10) as target:
            attached = Attached(target.pid, "-d", "60s", "--backend", backend, *tree)
            target.go_on()
            target.heard("done")
            time.sleep(2)  # perf keeps what was there a while ago
            keeper = children_of(attached.worker)[0] if tree else attached.worker
            reader = worker_of(keeper)
            status = Path(f"/proc/{reader}/status").read_text()
            assert re.search(r"CapEff:\t0+\n", status) and f"Uid:\t{NOBODY}\t" in status, status
            os.kill(reader, signal.SIGSEGV)
            said = attached.process.communicate(timeout=100)[1]
            assert attached.process.returncode == 4, (backend, attached.process.returncode, said)
            assert said.count("lost: ") == 1 and "crashed (signal 11): nothing was recorded from then on" in said, (backend, said)
            assert target.lives() and not changed_code(target.pid) and not events_of(attached.worker), backend
        shown = Path("out.folded").read_text()
        for leaf, each in (("leak_small", 48), ("leak_aligned", 320), ("leak_grown", 70000)):
            found = sum(int(line.rpartition(" ")[2]) for line in shown.splitlines() if line.rpartition(" ")[0].endswith(";" + leaf))
            assert found == 4 * 10 * each, (backend, tree, leaf, found, shown, said)


def test_a_file_that_kills_who_plans_is_named_once():
    """It has several paths in /proc, and none of them is tried after the first."""
    need_root()
    Path("victim.c").write_text("int victim_function(int x) { return x * 3; }\n")
    Path("main.c").write_text("""
        #include <stdlib.h>
        #include <unistd.h>
        int victim_function(int x);
        void *volatile kept;
        int main(void) { for (;;) { kept = malloc((size_t)victim_function(16)); usleep(1000); } }""")
    subprocess.run("gcc -O1 -g -shared -fPIC -o libvictim.so victim.c && gcc -O1 -g -o keeps main.c -L. -lvictim -Wl,-rpath,$PWD",
                   shell=True, check=True)
    with subprocess.Popen(["./keeps"]) as target:
        done = subprocess.run([PLANTED, "attach", str(target.pid), "-d", "500ms", "-o", "out.folded", "--no-cache"], check=False,
                              env={**os.environ, "PLANTED": "crash of an image"}, capture_output=True, text=True, timeout=100)
        target.kill()
    assert done.returncode == 4 and Path("out.folded").read_text(), done
    assert done.stderr.count("lost: the names in ") == 1, done.stderr


def test_a_reader_that_dies_while_much_happens():
    """What it recorded until then is shown, with a word on when that was."""
    need_root()
    Path("main.c").write_text("""
        #include <stdlib.h>
        #include <unistd.h>
        void *volatile kept;
        __attribute__((noinline)) void main_keeps(void) { kept = malloc(48); }
        int main(void) { for (;;) { main_keeps(); usleep(1000); } }""")
    subprocess.run(["gcc", "-O1", "-g", "-o", "keeps", "main.c"], check=True)
    for backend in BACKENDS:
        dies_while_it_records(backend)


def dies_while_it_records(backend):
    with subprocess.Popen(["./keeps"]) as target:
        try:
            for seconds in 1, 2, 4, 8, 16, 32:  # until something was recorded, on whatever machine
                attached = Attached(target.pid, "-d", "600s", "--backend", backend)
                time.sleep(seconds)
                os.kill(worker_of(attached.worker), signal.SIGSEGV)
                said = attached.process.communicate(timeout=100)[1]
                assert attached.process.returncode == 4, (attached.process.returncode, said)
                lost = re.search(r"lost: everything after (\d+\.\d) s, because the reader of .+ crashed \(signal 11\): "
                                 r"nothing was recorded from then on\n", said)
                assert lost and float(lost.group(1)) < 600, said
                assert target.poll() is None and not changed_code(target.pid) and not events_of(attached.worker), said
                shown = Path("out.folded").read_text()
                if re.search(r"(?m);main;main_keeps \d+$", shown):
                    return
        finally:
            target.kill()
    raise AssertionError((shown, said))


def test_a_file_that_kills_who_names_costs_no_recording():
    """attach: files of the process kill who reads them for names; all that was recorded is there."""
    need_root()
    Path("victim.c").write_text("#include <stdlib.h>\nvoid *victim_keeps(void) { return malloc(100); }\n")
    Path("main.c").write_text("""
        #include <stdlib.h>
        #include <unistd.h>
        void *volatile kept;
        void *victim_keeps(void);
        __attribute__((noinline)) void main_keeps(void) { kept = malloc(48); }
        int main(void) { for (;;) { kept = victim_keeps(); main_keeps(); usleep(1000); } }""")
    subprocess.run("gcc -O1 -g -shared -fPIC -o libvictim.so victim.c && gcc -O1 -g -o keeps main.c -L. -lvictim -Wl,-rpath,$PWD",
                   shell=True, check=True)
    with subprocess.Popen(["./keeps"]) as target:
        done = subprocess.run([PLANTED, "attach", str(target.pid), "-d", "500ms", "-o", "out.folded", "--no-cache"], check=False,
                              env={**os.environ, "PLANTED": "crash at names"}, capture_output=True, text=True, timeout=100)
        lives, changed = target.poll() is None, changed_code(target.pid)
        target.kill()
    assert done.returncode == 4 and lives and not changed, (lives, changed, done)
    lost = re.findall(r"lost: the names in (\S+), because its reader crashed \(signal 11\)", done.stderr)
    assert len(lost) == 3 and all(f"/proc/{target.pid}/map_files/" in path for path in lost), done.stderr
    assert len(Path("out.folded").read_text().splitlines()) == 2, Path("out.folded").read_text()


def test_doctor_reads_a_process_without_rights():
    """What it says of the machine is there whatever the process does to who reads it."""
    need_root()
    with Scene("attach") as scene:
        pid = str(scene.target.pid)
        for mend in (), ("--mend",):
            done = run_exploit(scene, "doctor", pid, *mend)
            tried = tried_in(done.stderr)
            assert done.returncode == 3 and set(tried) == ATTACH_WALLS | ASKED_OF_KEEPER, done
            succeeded = {what for what, outcome in tried.items() if outcome == "done"}
            assert succeeded == {"a probe", "to open it"}, succeeded
            assert re.search(r"(?m)^rights +yes .*\n(.*\n)*live tables .*\nreading .*\ncopies .*\n\Z", done.stdout), done.stdout
            assert scene.target.poll() is None and not changed_code(scene.target.pid)
            no_event_is_left()
        done = run_exploit(scene, "doctor", pid, PLANTED_END="crash")
        # It is started again without what it read, until it has read nothing of the process.
        assert done.returncode == 4 and "lost: the names in " in done.stderr, done
        assert re.search(r"(?m)^reading .*\ncopies .*\nbreakpoints +no .*\nprocess .* no .*\nattach +no ", done.stdout), done.stdout
        done = run_exploit(scene, "doctor", pid, "--no-sandbox")
        succeeded = {what for what, outcome in tried_in(done.stderr).items() if outcome == "done"}
        assert done.returncode == 3 and ATTACH_WALLS - succeeded <= {"to write memory"}, done


def test_a_file_that_kills_doctor_costs_its_names():
    """It is read once; what the other files of the process say is there."""
    need_root()
    Path("victim.c").write_text("int victim_function(int x) { return x * 3; }\n")
    Path("main.c").write_text("""
        #include <stdlib.h>
        #include <unistd.h>
        int victim_function(int x);
        void *volatile kept;
        int main(void) { for (;;) { kept = malloc((size_t)victim_function(16)); usleep(1000); } }""")
    subprocess.run("gcc -O1 -g -shared -fPIC -o libvictim.so victim.c && gcc -O1 -g -o keeps main.c -L. -lvictim -Wl,-rpath,$PWD",
                   shell=True, check=True)
    with subprocess.Popen(["./keeps"]) as target:
        done = subprocess.run([PLANTED, "doctor", str(target.pid)], check=False, capture_output=True, text=True, timeout=100,
                              env={**os.environ, "PLANTED": "crash of an image"})
        target.kill()
    assert done.returncode == 4 and done.stderr.count("lost: the names in ") == 1, done
    assert done.stdout.count("\nbreakpoints ") == 1 and done.stdout.count("\nattach ") == 1, done.stdout
    assert re.search(rf"(?m)^process {target.pid} +yes +malloc of .*libc.so.6: ", done.stdout), done.stdout


def test_doctor_names_the_walls():
    done = subprocess.run([HEAPFLAME, "doctor"], capture_output=True, text=True, timeout=100, check=False)
    [line] = [line for line in done.stdout.splitlines() if line.startswith("reading ")]
    assert re.search(r"^reading +(yes +in a process without rights|no +not available here: )", line), line
    # In a user namespace without a map for nobody that wall cannot stand, and the others do.
    done = subprocess.run(["unshare", "--user", "--map-root-user", HEAPFLAME, "doctor"], capture_output=True, text=True,
                          timeout=100, check=False)
    if "reading" in done.stdout:  # where users may make namespaces
        assert "not available here: a user without rights\n" in done.stdout, done.stdout
        Path("x.folded").write_text("a;b 3\n")
        done = subprocess.run(["unshare", "--user", "--map-root-user", HEAPFLAME, "top", "x.folded"], capture_output=True,
                              text=True, timeout=100, check=False)
        assert done.returncode == 0 and done.stdout.startswith("3 samples"), done


if __name__ == "__main__":
    sys.exit(run_tests(globals()))
