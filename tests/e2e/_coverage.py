"""What part of the memory of a program `top --value resident_space PID` attributes to code, against what /proc says. All threads
of the process are stopped meanwhile, so that both are of one moment. The short form is in run_coverage.py, the long one in
bench/soak.d/coverage.py."""

import contextlib
import json
import os
import re
import signal
import subprocess
import time
from pathlib import Path

from _heap import HEAPFLAME, TIMEOUT_S

KIB, MIB = 1 << 10, 1 << 20
PERIOD = "8KiB"  # so that the shares hang on what is attributed, and not on chance: of redis, 64 KiB says 83 to 90 %, this 86 to 87
IS_CAUSE = re.compile(r"\[.*\]")  # a row that is no code
IS_NAMELESS = re.compile(r".*\+0x[0-9a-f]+")


def wait_until(happens, what, seconds=TIMEOUT_S):
    end = time.monotonic() + seconds
    while not happens():
        assert time.monotonic() < end, f"waited in vain: {what}"
        time.sleep(0.02)


@contextlib.contextmanager
def recorded(*command, options=(), **more):
    """The command under `run`; it may use its standard input and output, which are pipes, and is killed in the end."""
    full = [HEAPFLAME, "run", "-q", "--period", PERIOD, *options, "-o", "coverage.%p.hfb" if "--follow-fork" in options else "coverage.hfb", "--", *command]
    environment = {**os.environ, "XDG_RUNTIME_DIR": str(Path.cwd())}
    process = subprocess.Popen([str(word) for word in full], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                               env=environment, **more)  # fmt: skip
    try:
        wait_until(lambda: children_of(process.pid), command)
        yield process
    finally:
        for pid in children_of(process.pid):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        process.communicate(timeout=TIMEOUT_S)


def children_of(pid):
    with contextlib.suppress(OSError):
        return [int(word) for word in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    return []


def program_of(process):
    """The recorded program, a child of `run` that executes something else by now."""
    own = os.readlink(f"/proc/{process.pid}/exe")

    def found():
        with contextlib.suppress(OSError):
            return [pid for pid in children_of(process.pid) if os.readlink(f"/proc/{pid}/exe") != own]
        return []

    wait_until(found, "the program runs")
    return found()[0]


@contextlib.contextmanager
def stopped(pid):
    os.kill(pid, signal.SIGSTOP)
    try:
        wait_until(lambda: all(task.read_text().rpartition(")")[2].split()[0] in "tT" for task in Path(f"/proc/{pid}/task").glob("*/stat")),
                   f"{pid} stops")  # fmt: skip
        yield
    finally:
        os.kill(pid, signal.SIGCONT)


def fields(pid, name):
    return {key: int(value) * KIB for key, value in re.findall(r"^(\w+):\s+(\d+) kB$", Path(f"/proc/{pid}/{name}").read_text(), re.M)}


class Account:
    """Of process `pid`, now: `causes` {cause: bytes}, `code` {function: bytes}, both of heapflame; the rest from /proc."""

    def __init__(self, pid):
        with stopped(pid):
            status, exact = fields(pid, "status"), fields(pid, "smaps_rollup")
            top = subprocess.run([HEAPFLAME, "top", "--json", "-q", "--rows", "0", "--value", "resident_space", str(pid)],
                                 capture_output=True, text=True, timeout=TIMEOUT_S, check=False)  # fmt: skip
        assert top.returncode in (0, 4), top.stderr
        rows = {row["name"]: row["flat"] for row in json.loads(top.stdout)["rows"] if row["flat"] != 0}
        self.resident, self.anonymous, self.shared = exact["Rss"], status["RssAnon"], status["RssShmem"]
        self.told_resident = status["VmRSS"]
        self.causes = {name.strip("[]"): size for name, size in rows.items() if IS_CAUSE.fullmatch(name)}
        self.code = {name: size for name, size in rows.items() if not IS_CAUSE.fullmatch(name)}
        self.sum = sum(rows.values())

    def attributed(self):
        """Bytes of the anonymous memory that code is named for. What is shared with others is anonymous for no one: as much
        of it as no cause explains is taken for mapped by code."""
        shared = max(0, self.shared - self.causes.get("shared memory", 0) - self.causes.get("live table", 0))
        heaps = sum(size for cause, size in self.causes.items() if cause.startswith("heap of "))  # mapped by a runtime that is named
        return max(0, sum(self.code.values()) - shared) + heaps + self.causes.get("in use by malloc", 0)

    def share(self):
        return self.attributed() / self.anonymous

    def error(self):
        """How far the sum of all parts is from what is resident."""
        return self.sum / self.resident - 1

    def nameless(self):
        return sum(size for name, size in self.code.items() if IS_NAMELESS.fullmatch(name)) / max(1, sum(self.code.values()))

    def lines(self):
        code = sorted(self.code.items(), key=lambda row: -row[1])
        named = [f"mapped by {name}" for name, _ in code[:3]]
        sizes = [size for _, size in code[:3]]
        if len(code) > 3:
            named.append(f"mapped by {len(code) - 3} more")
            sizes.append(sum(size for _, size in code[3:]))
        named += self.causes
        sizes += self.causes.values()
        return [f"  {size / MIB:8.1f} MiB  {name}" for name, size in zip(named, sizes)]


def say(process, word="ready"):
    """Waits until the program says so."""
    for line in process.stdout:
        if line.strip() == word:
            return
    raise AssertionError(f"it ended before it said {word!r}")


MAPPER = r"""
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#define SIZE (96u << 20)
int main(void)
{
    char *pool = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    memset(pool, 1, SIZE);
    for (int i = 0; i < 8000; i++)
        memset(malloc(1000), 1, 1000);
    puts("ready");
    fflush(stdout);
    return getchar();
}
"""
KEEP = """
import java.util.ArrayList;
public class Keep {
    static ArrayList<int[]> kept = new ArrayList<>();
    public static void main(String[] words) throws Exception {
        for (int i = 0; i < 900000; i++)
            kept.add(new int[40]);
        System.out.println("ready");
        System.in.read();
    }
}
"""
INTERPRETED = {
    "php": ["php", "-d", "memory_limit=-1", "-r", "$a=[]; for($i=0;$i<400000;$i++) $a[]=[$i]; echo \"ready\\n\"; fgets(STDIN);"],
    "python3": ["/usr/bin/python3", "-c", "a = [[i] for i in range(600000)]\nprint('ready', flush=True)\ninput()"],
    "node": ["node", "-e", "a = []; for (let i = 0; i < 400000; i++) a.push({i, b: [i]}); console.log('ready'); process.stdin.on('data', () => 0)"],
}  # fmt: skip


def account_of(*command):
    with recorded(*command) as process:
        say(process)
        return Account(program_of(process))


def mapper():
    Path("mapper.c").write_text(MAPPER)
    subprocess.run(["gcc", "-g", "-O1", "-o", "mapper", "mapper.c"], check=True)
    return account_of("./mapper")


def java():
    Path("Keep.java").write_text(KEEP)
    subprocess.run(["javac", "Keep.java"], check=True)
    return account_of("java", "-cp", ".", "Keep")


def redis():
    socket = Path("redis.sock")
    with recorded("redis-server", "--port", "0", "--unixsocket", socket.resolve(), "--save", "") as process:
        client = ["redis-cli", "-s", socket]
        wait_until(lambda: subprocess.run([*client, "ping"], capture_output=True, check=False).stdout == b"PONG\n", "redis answers")
        fill = "for i = 1, 150000 do redis.call('set', 'key' .. i, string.rep('x', 400)) end"
        subprocess.run([*client, "eval", fill, "0"], check=True, stdout=subprocess.DEVNULL, timeout=TIMEOUT_S)
        return Account(program_of(process))


def postgres():
    """A backend of a server, with 10,000 prepared statements."""
    programs, data = Path("/usr/lib/postgresql/15/bin"), Path("data").resolve()
    os.chmod(".", 0o777)
    user = ["setpriv", "--reuid", "postgres", "--regid", "postgres", "--clear-groups"] if os.geteuid() == 0 else []
    for folder in reversed(data.parents):
        assert not user or os.stat(folder).st_mode & 1, f"{folder} is closed to the server"
    subprocess.run([*user, programs / "initdb", "--no-sync", "-A", "trust", "-U", "postgres", "-D", data], check=True, stdout=subprocess.DEVNULL)
    server = [*user, programs / "postgres", "-D", data, "-k", data, "-c", "listen_addresses=", "-c", "shared_buffers=16MB"]
    with recorded(*server, options=["--follow-fork"], stderr=subprocess.DEVNULL):
        client = subprocess.Popen([*user, "psql", "-qAtX", "-h", str(data), "-U", "postgres"], stdin=subprocess.PIPE,
                                  stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)  # fmt: skip
        wait_until(lambda: (data / ".s.PGSQL.5432").exists(), "the server listens")
        while client.poll() is not None or not asked(client):
            client.wait(timeout=TIMEOUT_S)
            client = subprocess.Popen(client.args, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        client.stdin.write("".join(f"prepare s{i} as select relname from pg_class where oid = {i};\n" for i in range(10000)))
        client.stdin.write("select pg_backend_pid();\n")
        client.stdin.flush()
        backend = int(client.stdout.readline())
        account = Account(backend)
        client.kill()
        client.communicate()
        return account


def asked(client):
    """Whether the client is connected."""
    try:
        client.stdin.write("select 1;\n")
        client.stdin.flush()
        return client.stdout.readline() == "1\n"
    except BrokenPipeError:
        return False


def mariadb():
    """A server, after a join in memory and with 20,000 variables of one session."""
    data, socket = Path("data").resolve(), Path("maria.sock").resolve()
    user = subprocess.run(["id", "-un"], capture_output=True, text=True, check=True).stdout.strip()
    subprocess.run(["mariadb-install-db", "--no-defaults", f"--datadir={data}", f"--user={user}", "--auth-root-authentication-method=normal",
                    "--skip-test-db"], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)  # fmt: skip
    server = ["mariadbd", "--no-defaults", f"--datadir={data}", f"--user={user}", f"--socket={socket}", "--skip-networking",
              "--innodb-buffer-pool-size=64M", "--innodb-log-file-size=8M"]  # fmt: skip
    with recorded(*server, stderr=subprocess.DEVNULL) as process:
        client = ["mariadb", "--no-defaults", "-S", str(socket), "-u", "root", "-N"]
        wait_until(lambda: subprocess.run([*client, "-e", "select 1"], capture_output=True, check=False).returncode == 0, "mariadbd answers")
        session = subprocess.Popen([*client, "--unbuffered"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        session.stdin.write("".join(f"set @v{i} = repeat('x', 3000);\n" for i in range(20000)) + "select 'ready';\n")
        session.stdin.flush()
        assert session.stdout.readline() == "ready\n"
        account = Account(program_of(process))
        session.kill()
        session.communicate()
        return account


def interpreted(name):
    return lambda: account_of(*INTERPRETED[name])


PROGRAMS = {
    "php": ("php", interpreted("php")),
    "python3": ("/usr/bin/python3", interpreted("python3")),
    "node": ("node", interpreted("node")),
    "java": ("javac", java),
    "mmap": ("gcc", mapper),
    "redis": ("redis-server", redis),
    "PostgreSQL": ("/usr/lib/postgresql/15/bin/postgres", postgres),
    "mariadb": ("mariadbd", mariadb),
}
