#!/usr/bin/env python3
"""`heapflame conf` against the libjemalloc that is installed: what jemalloc says of a line and what the command
says of it are the same, and the line that the command prints does what it promises."""

import json
import os
import random
import re
import signal
import subprocess
import sys
from pathlib import Path

from _suite import run_tests

SEED = "prof_leak:true,lg_prof_sample:0,prof_final:true;lg_prof_interval:30"


def find_jemalloc():
    cache = subprocess.run(["/sbin/ldconfig", "-p"], capture_output=True, text=True, check=False).stdout
    found = re.search(r"libjemalloc\.so\.2 .*=> (\S+)", cache)
    return found[1] if found else None


JEMALLOC = find_jemalloc()


def jemalloc(line, *command, **more):
    """The complaints of jemalloc about a line, and the options that it has in the end."""
    done = subprocess.run(
        command or ["/bin/true"], env={"LD_PRELOAD": JEMALLOC, "MALLOC_CONF": line}, capture_output=True,
        stdin=subprocess.DEVNULL, timeout=600, **more,
    )
    text = done.stderr.decode(errors="replace")
    complaints = re.findall(r"(?m)^<jemalloc>: ((?:Invalid|Out-of-range|Malformed|Conf string).*)", text)
    return complaints, dict(re.findall(r'(?m)^  opt\.(\w+): "?(.*?)"?(?: \(.*\))?$', text)), done


def conf(*arguments):
    done = subprocess.run(["heapflame", "conf", *arguments], capture_output=True, text=True, timeout=600, check=False)
    return done.returncode, done.stdout, done.stderr


def check(line):
    code, out, err = conf("check", "--json", line)
    answer = json.loads(out)
    assert code == (0 if answer["ok"] else 3), (line, code, err)
    return answer


def test_every_option_of_the_table():
    """Each option is known to jemalloc where the table says so, and its default is jemalloc's own."""
    code, out, _ = conf("explain", "--all", "--json")
    assert code == 0
    defaults = jemalloc("stats_print:true")[1]
    compared = 0
    for option in json.loads(out)["options"]:
        key, default = option["key"], option["default"]
        complaints = jemalloc(f"{key}:{default or 1}")[0]
        is_unknown = any("Invalid conf pair" in complaint for complaint in complaints)
        expected = option["since"] == "after 5.3.0" or "until" in option or "build_flag" in option
        assert is_unknown == expected, (key, complaints)
        assert is_unknown or not complaints or not default, (key, complaints)
        if key in defaults and key not in ("stats_print", "narenas"):
            assert defaults[key] == default, (key, defaults[key], default)
            compared += 1
    assert compared >= 50, compared


def test_no_option_is_missing():
    """Every word in the library that could be an option is one for both or for neither."""
    known = {option["key"] for option in json.loads(conf("explain", "--all", "--json")[1])["options"]}
    words = set(re.findall(rb"(?<=\0)[a-z][a-z_]{2,40}(?=\0)", Path(JEMALLOC).read_bytes()))
    asked = 0
    for word in sorted(w.decode() for w in words):
        if word in known or "percpu_arena".startswith(word):
            continue
        complaints = jemalloc(f"{word}:1")[0]
        assert any("Invalid conf pair" in complaint for complaint in complaints), (word, complaints)
        asked += 1
    assert asked > 100, asked


LINES = [
    "", "prof:true", "prof:false", "prof:True", "prof:1", "prof:", "prof", ":true", ":auto", "prof:true,", ",", ",,",
    "prof:true,,prof_final:true", "prof:true, prof_final:true", " prof:true", "prof:true ", "prof=true",
    "prof:true;prof_final:true", "prof:true prof_final:true", '"prof:true"', "'prof:true'", "prof:true,prof_final",
    "prof-final:true", "Prof:true", "prof:true,Prof_Final:true", "proof:true", "lg_prof_sample:0x10",
    "lg_prof_sample:010", "lg_prof_sample:08", "lg_prof_sample: 5", "lg_prof_sample:+5", "lg_prof_sample:-5",
    "lg_prof_sample:5 ", "lg_prof_sample:63", "lg_prof_sample:64", "lg_prof_sample:524288", "lg_prof_sample:512K",
    "lg_prof_sample:18446744073709551616", "lg_prof_sample:0x", "lg_prof_sample:--5", "lg_prof_interval:-1",
    "lg_prof_interval:-2", "lg_prof_interval:63", "lg_prof_interval:64", "lg_prof_interval:1G", "narenas:0",
    "narenas:default", "narenas:-1", "narenas:4", "dss:", "dss:p", "dss:primary", "d:s", "p:percpu", "percpu:phy",
    "metadata_thp:a", "m:always", "thp:n", "thp:not supported", "t:never", "junk:alloc", "junk:al",
    "dirty_decay_ms:-1", "dirty_decay_ms:18446744072000", "dirty_decay_ms:18446744072001", "muzzy_decay_ms:-2",
    "hpa_dirty_mult:.5", "hpa_dirty_mult:-1", "hpa_dirty_mult:-2", "hpa_dirty_mult:1.", "hpa_dirty_mult:65536",
    "hpa_hugification_threshold_ratio:1", "hpa_hugification_threshold_ratio:1.5", "narenas_ratio:2.5",
    "slab_sizes:default", "slab_sizes:1-4096:17", "slab_sizes:1-4096:17|", "slab_sizes:1-4096", "slab_sizes:",
    "slab_sizes:1-4096:17|5000-6000:3", "lg_tcache_nslots_mul:17", "lg_tcache_nslots_mul:-16", "tcache_max:99999999",
    "zero_realloc:abort", "zero_realloc:a", "prof_time_resolution:high", "prof_time_resolution:low",
    "experimental_x:1", "lg_chunk:22", "prof_bt_max:64", "background_thread:false", "tcache:true",
    "mutex_max_spin:-1", "san_guard_small:7", "oversize_threshold:8070450532247928833", "stats_interval:-2",
    "prof_leak:true", "prof_final:true", "prof_leak_error:true", "prof_prefix:", "prof_prefix:a b", SEED,
    "prof:true\tprof_final:true", "prof:true\n", "utrace:true", "xmalloc:true", "lg_san_uaf_align:20", "log:x",
]


def random_lines(count):
    """Lines put together from good and bad pieces, the same ones each time."""
    dice = random.Random(1)
    keys = ["prof", "prof_final", "prof_active", "lg_prof_sample", "lg_prof_interval", "narenas", "dss", "tcache",
            "prof_prefix", "thp", "retain", "hpa_dirty_mult", "x", "", "prof_finale", "dirty_decay_ms", "lg_dirty_mult"]
    values = ["true", "false", "True", "1", "0", "-1", "19", "99", "1G", "", "default", "always", "jeprof", "0.5", "a b"]
    for _ in range(count):
        pieces = [dice.choice(keys) + dice.choice([":"] * 8 + ["=", "", "::"]) + dice.choice(values)
                  for _ in range(dice.randint(1, 4))]
        line = pieces[0]
        for piece in pieces[1:]:
            line += dice.choice([","] * 8 + [";", ", ", ",,", " ", "|"]) + piece
        yield line


def depends_on_the_build(answer):
    """Without the program nobody knows whether it has these options: only a warning says so."""
    return any("works only in" in f["text"] or "after 5.3.0" in f["text"] for f in answer["findings"])


def test_the_same_complaints_as_jemalloc():
    for line in [*LINES, *random_lines(60)]:
        complaints = jemalloc(line)[0]
        answer = check(line)
        assert answer["complains"] == bool(complaints), (line, complaints, answer)
        if complaints and complaints[0] != "Conf string ends with comma" and not depends_on_the_build(answer):
            assert not answer["ok"], (line, complaints)


def test_the_fixed_line_has_no_fault_left():
    for line in [*LINES, *random_lines(60)]:
        answer = check(line)
        again = check(answer["fixed"])
        assert again["ok"] and again["fixed"] == answer["fixed"], (line, answer, again)
        complaints, settings, _ = jemalloc(answer["fixed"] + (",stats_print:true" if answer["fixed"] else ""))
        assert not complaints or depends_on_the_build(again), (line, answer["fixed"], complaints)
        for key, value in again["settings"].items():
            is_word = re.fullmatch(r"true|false|-?(0|[1-9]\d{0,8})|jeprof", value)
            if key in settings and is_word and key not in ("hpa", "hpa_dirty_mult", "narenas"):
                assert settings[key] == value, (answer["fixed"], key, settings[key])


ALLOCATE_5_GIB = "for i in range(5 * 1024): bytearray(1 << 20)"


def dumps_of(line, code=ALLOCATE_5_GIB):
    """The kinds of dumps that a program leaves behind with these options: "i0", "i1", "f" ..."""
    before = set(os.listdir())
    _, _, done = jemalloc(line, sys.executable, "-SEc", code)
    names = sorted(set(os.listdir()) - before)
    for name in names:
        os.remove(name)
    return done, [name.split(".")[3] for name in names]


def test_what_the_seeds_line_does():
    """As written nothing comes of it; with the comma, only the final dump; fixed, the whole series."""
    assert dumps_of(SEED)[1] == []
    assert dumps_of(SEED.replace(";", ","))[1] == ["f"]
    code, out, err = conf("check", SEED)
    assert code == 3 and "column 48" in out and "prof:true is missing" in out and "lg_prof_sample:0" in out, out
    assert "OOM killer" in out, out
    assert err == "heapflame: the options do not do what they say: 2 faults\n", err
    pasted = subprocess.run(
        ["bash", "-ec", out.splitlines()[-1] + '\nprintf %s "$MALLOC_CONF"'], capture_output=True, text=True, check=True)
    promised = re.findall(r"(?m)^    jeprof\.PID\.N\.(\w+)\.heap", out)
    assert promised == ["iN", "f"], out
    done, kinds = dumps_of(pasted.stdout)
    assert done.returncode == 0 and kinds.count("f") == 1, kinds
    assert sum(kind.startswith("i") for kind in kinds) in (4, 5, 6), kinds
    assert b"Leak approximation summary" in done.stderr


def test_a_killed_program_leaves_the_interval_dumps():
    line = check(SEED)["fixed"]
    _, kinds = dumps_of(line, ALLOCATE_5_GIB + "\nimport os\nos.kill(os.getpid(), 9)")
    assert kinds and all(kind.startswith("i") for kind in kinds), kinds


def test_dumps_are_as_promised():
    for line in ["prof:true", "prof:true,prof_final:true", "prof_leak:true,prof_final:true", "prof_final:true",
                 "prof:true,lg_prof_interval:31", "prof:true,prof_final:true,prof_prefix:",
                 "prof:true,prof_gdump:true,lg_prof_sample:12", "prof_leak:true,lg_prof_interval:30,prof_final:true"]:
        code, out, _ = conf("check", line)
        promised = {kind[0] for kind in re.findall(r"(?m)^    \w+\.PID\.N\.(\w+)\.heap", out)}
        written = {kind[0] for kind in dumps_of(check(line)["fixed"])[1]}
        assert written == promised, (line, written, out)
        if code == 3:
            assert {kind[0] for kind in dumps_of(line)[1]} != promised, line


def test_abort_conf():
    for line in ["abort_conf:true,foo:1", "abort_conf:true,prof:true,", "abort_conf:true,prof:1"]:
        assert jemalloc(line)[2].returncode == -signal.SIGABRT, line
        assert any("aborts when it starts" in finding["text"] for finding in check(line)["findings"]), line
    line = "abort_conf:true,lg_prof_sample:64"
    assert jemalloc(line)[2].returncode == 0
    assert not any("aborts" in finding["text"] for finding in check(line)["findings"])


if __name__ == "__main__":
    if JEMALLOC is None:
        print("libjemalloc2 is not installed")
        sys.exit(77)
    sys.exit(run_tests(globals()))
