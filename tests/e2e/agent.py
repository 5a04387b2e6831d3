#!/usr/bin/env python3
# sanitized: no, the agent is the same object in that build
"""The agent as an object: what it asks for and offers, and that real programs run under it as without it."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from _agent import AGENT, SOURCE, compile_agent_test, environment, on_every_allocator, only_table, plain_environment, profiled, tables
from _heap import TIMEOUT_S, run
from _suite import run_tests


def listed(name):
    return {line for line in (SOURCE / "agent" / name).read_text().splitlines() if line and not line.startswith("#")}


def symbols(*options, agent=AGENT):
    lines = run("nm", *options, agent).splitlines()
    return {line.split()[-1].split("@")[0] for line in lines}


def check_imports(agent=AGENT):
    foreign = symbols("-uD", agent=agent) - listed("imports.allow")
    assert not foreign, f"the agent asks for {sorted(foreign)}, which agent/imports.allow does not have"


def test_imports_are_allowed():
    check_imports()


def test_exports_are_the_hooks():
    exported = symbols("-D", "--defined-only")
    assert exported == listed("exports.list"), f"differs in {sorted(exported ^ listed('exports.list'))}"


def test_needs_libc_alone():
    needed = re.findall(r"\(NEEDED\).*\[(.*)\]", run("readelf", "-dW", AGENT))
    assert needed == ["libc.so.6"], needed


def test_thread_local_storage_is_small():
    found = re.search(r"TLS +\w+ \w+ \w+ \w+ (\w+)", run("readelf", "-lW", AGENT))
    assert int(found[1], 16) <= 64, found[0]


def test_slow_paths_are_jumped_to():
    """A hook has no frame of its own: the frame above a slow path is the program's."""
    no_hooks = {"dlclose", "reallocarray", "malloc_usable_size", "prctl", "prlimit", "prlimit64", "setrlimit", "setrlimit64"}
    no_hooks |= {"mmap", "mmap64", "munmap", "mremap", "brk", "sbrk"}
    no_hooks |= {name for name in listed("exports.list") if re.match("f?exec", name)}
    no_hooks |= {name for name in listed("exports.list") if re.match(r"mallctl|heapflame_agent_(?!pool)", name)}
    for hook in sorted(listed("exports.list") - no_hooks):
        code = run("objdump", "-d", "--no-show-raw-insn", f"--disassemble={hook}", AGENT)
        assert not re.search(r"\t(call|push)\b", code), code


def instructions(*program, **variables):
    command = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", *program]
    done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT_S, check=True, env={**os.environ, **variables})
    return int(re.search(r"Collected : (\d+)", done.stderr)[1])


def test_fast_path_is_short():
    """A pair of malloc and free, sampled as by default, takes at most 14 instructions more; the start is counted, too."""
    program = compile_agent_test("pairs.c")
    added = instructions(program, **environment("seed:7")) - instructions(program)
    assert 8_000_000 < added < 14_000_000, f"{added / 1e6} instructions"


def test_exact_pairs_are_short():
    """Recorded, a pair takes so many more in stacks that vary, of which the peak is 50 and what becomes of freed blocks 140."""
    def added(depth, pairs):
        program = [f"{os.environ['BUILD']}/bench/allocate", "live", "1", depth, str(pairs)]
        return instructions(*program, **environment("exact:true")) - instructions(*program)

    for depth, most in (("0", 660), ("30", 1310)):  # frames; 622 and 1,247 today
        each = (added(depth, 60_000) - added(depth, 20_000)) / 40_000
        print(f"{each:.0f} instructions for each pair, {depth} frames deep")
        assert 200 < each < most, f"{each} instructions, {depth} frames deep"


COMMANDS = {
    "sqlite3": [":memory:", "with recursive n(i) as (select 1 union all select i+1 from n where i<20000) "
                "select count(*), sum(length(hex(i))), group_concat(i % 7) from n;"],
    "python3": ["-c", "import json, re; print(len(json.dumps([{'k': str(i)} for i in range(20000)])))"],
    "bash": ["-c", "for i in 1 2 3 4 5 6 7 8 9; do x=$x$(echo $i | tr 1-9 a-i); done; echo $x; seq 1000 | sort -r | head -n 3"],
    "perl": ["-e", "my %h; $h{$_ % 997} .= $_ for 1..50000; print length(join '', map { $h{$_} } sort keys %h), qq(\\n)"],
    "gcc": ["-O2", "-S", "-o", "-", str(SOURCE / "src/live/writer.c"), f"-I{SOURCE / 'src'}", "-D_GNU_SOURCE"],
    "redis-server": ["--version"],
}


def test_programs_run_as_without():
    for name, arguments in COMMANDS.items():
        if shutil.which(name) is None:
            continue
        plain = run(name, *arguments)
        for conf in ("", "exact:true", "period:4096", "exact:true,follow_fork:true"):
            out, err = profiled(conf, name, *arguments)
            assert (out, err) == (plain, ""), f"{name} with '{conf}' said: {err[-500:]}"
    assert tables(), "nobody made a table"


def test_nothing_without_conf():
    done = run("python3", "-c", "print(1)", env={**os.environ, "LD_PRELOAD": str(AGENT), "XDG_RUNTIME_DIR": os.getcwd()})
    assert done == "1\n"
    assert not list(Path().glob("heapflame-*"))


def check_no_descriptor_stays(agent=AGENT):
    out, _ = profiled("", "ls", "/proc/self/fd", preload=(agent,))
    assert out == run("ls", "/proc/self/fd", env=plain_environment()), f"descriptors are left open: {out}"


@on_every_allocator
def test_no_descriptor_stays():
    check_no_descriptor_stays()


def test_memory_is_little():
    """What docs/agent.md says that the agent starts with."""

    def anonymous_kib(text):
        return int(re.search(r"RssAnon:\s+(\d+)", text)[1])

    plain = anonymous_kib(run("cat", "/proc/self/status"))
    for conf, kib in (("", 512), ("exact:true", 2048)):
        added = anonymous_kib(profiled(conf, "cat", "/proc/self/status")[0]) - plain
        assert 0 < added < kib, f"{added} KiB"


def test_table_is_private():
    profiled("", "true")
    table = only_table()
    assert oct(table.stat().st_mode & 0o777) == "0o600"
    assert oct(table.parent.stat().st_mode & 0o777) == "0o700"


def refused(conf, *sentences):
    """What is wrong with HEAPFLAME_CONF is said, a sentence each; the program runs all the same."""
    out, err = profiled(conf, "/bin/echo", "here")
    assert out == "here\n"
    assert err.splitlines() == ["heapflame: " + sentence for sentence in sentences], err


def test_bad_conf_is_reported_once():
    see = "see heapflame-run(1)"
    refused("bogus:1", f"HEAPFLAME_CONF: skipped unknown option 'bogus'; {see}")
    refused("period:zero", f"HEAPFLAME_CONF: skipped 'zero', which is not a value for 'period'; {see}")
    refused("period:0", f"HEAPFLAME_CONF: skipped '0', which is not a value for 'period'; {see}")
    refused("exact:yes", f"HEAPFLAME_CONF: skipped 'yes', which is not a value for 'exact'; {see}")
    refused("prof_leak:1", f"HEAPFLAME_CONF: skipped '1', which is not a value for 'prof_leak'; {see}")
    refused("a b:c", "HEAPFLAME_CONF: expected key:value,key:value ...; skipped everything from 'a b:c' on")
    refused("exact", "HEAPFLAME_CONF: expected key:value,key:value ...; skipped everything from 'exact' on")


def test_every_conf_is_survived():
    """Any text at all: the program runs."""
    for conf in (",,,", ":", "prof:true,prof:", "lg_prof_sample:63", "budget:1MiB", "x" * 5000, "dir:" + "/x" * 3000, "\x01"):
        done = subprocess.run(
            ["/bin/echo", "here"], capture_output=True, text=True, timeout=TIMEOUT_S, check=False,
            env={**environment("", XDG_RUNTIME_DIR=os.getcwd()), "HEAPFLAME_CONF": conf},
        )
        assert (done.returncode, done.stdout) == (0, "here\n"), done


if __name__ == "__main__":
    sys.exit(run_tests(globals()))
