#!/usr/bin/env python3
"""`heapflame conf check OPTIONS PROGRAM`: which jemalloc a program has, how that was built, and which options it
brings along. Programs are linked with the installed jemalloc in each way there is; where that cannot be had (a
prefix, no profiling, another version), small libraries hold the texts that such builds of jemalloc hold."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from _suite import run_tests

HERE = Path(os.environ["BUILD"])
JEMALLOC = "/usr/lib/x86_64-linux-gnu/libjemalloc.so.2"
ARCHIVE = "/usr/lib/x86_64-linux-gnu/libjemalloc.a"
STATIC = [ARCHIVE, "-lm", "-lpthread", "-ldl"]
BUILT_IN = 'const char *malloc_conf = "prof:true,prof_active:false";\n'
USES_MALLOC = "#include <stdlib.h>\nint main(int c, char **v) { return malloc(c + (v != 0)) == 0; }\n"


def cc(output, code, *flags):
    Path(f"{output}.c").write_text(code)
    subprocess.run(["gcc", "-o", output, f"{output}.c", *flags], check=True)
    return f"./{output}"


def check(line, program, *options):
    """(exit status, the JSON document, standard error)"""
    done = subprocess.run(["heapflame", "conf", "check", "--json", *options, line, program], capture_output=True,
                          text=True, timeout=600, check=False)
    return done.returncode, json.loads(done.stdout) if done.stdout else None, done.stderr


def jemalloc_of(program, line="prof:true"):
    status, answer, err = check(line, program)
    assert answer is not None, (status, err)
    return answer["jemalloc"]


def prints(line, program):
    done = subprocess.run(["heapflame", "conf", "check", line, program], capture_output=True, text=True, timeout=600,
                          check=False)
    return done.returncode, done.stdout


def real_settings(program, line):
    done = subprocess.run([program], env={"MALLOC_CONF": line + ",stats_print:true"}, capture_output=True, text=True,
                          timeout=600, check=True)
    return dict(re.findall(r'(?m)^  opt\.(\w+): "?(.*?)"?(?: \(.*\))?$', done.stderr))


def test_a_shared_library():
    redis = shutil.which("redis-server")
    for program in [cc("shared", USES_MALLOC, "-Wl,--no-as-needed", "-ljemalloc"), redis]:
        found = jemalloc_of(program)
        assert found["found"] == "library" and os.path.samefile(found["path"], JEMALLOC), found
        assert found["profiling"] and found["variable"] == "MALLOC_CONF" and "built_in" not in found, found
        assert found["version"].startswith("5.3.0-0-g"), found
        status, out = prints("prof:true", program)
        assert status == 0 and re.fullmatch(
            r"ok: jemalloc 5\.3\.0 in \S+/libjemalloc\.so\.2, profiling built in, environment variable MALLOC_CONF; "
            r"armed and active, period 512 KiB, overhead about 2 %\n", out), out


def test_redis_writes_what_is_promised():
    line = json.loads(subprocess.run(
        ["heapflame", "conf", "check", "--json", "prof:1;prof_final:yes", shutil.which("redis-server")],
        capture_output=True, text=True, check=False).stdout)["fixed"]
    subprocess.run(["redis-server", "--version"], env={**os.environ, "MALLOC_CONF": line}, check=True,
                   stdout=subprocess.DEVNULL)
    assert [name.split(".", 2)[2] for name in os.listdir() if name.startswith("jeprof.")] == ["0.f.heap"], os.listdir()


def test_linked_in():
    for flags in ["-pie", "-no-pie", "-static", "-s"]:
        program = cc(f"inside{flags}", USES_MALLOC, flags, *STATIC)
        found = jemalloc_of(program)
        assert found["found"] == "inside" and found["profiling"] and found["version"].startswith("5.3.0-0-g"), found
        assert prints("prof:true", program)[1].startswith("ok: jemalloc 5.3.0 linked in, profiling built in, "), flags


def test_options_compiled_in():
    """What the program sets is found, and holds where the line does not say otherwise; the program agrees."""
    for name, flags in {"inside": STATIC, "inside-no-pie": ["-no-pie", *STATIC], "shared": ["-Wl,--no-as-needed", "-ljemalloc"],
                        "shared-stripped": ["-s", "-Wl,--no-as-needed", "-ljemalloc"]}.items():
        program = cc(name, BUILT_IN + USES_MALLOC, *flags)
        assert jemalloc_of(program)["built_in"] == "prof:true,prof_active:false", name
        for line in ["lg_prof_sample:20", "prof_active:true", "prof_final:true,prof_prefix:x"]:
            status, answer, _ = check(line, program)
            assert status == 0, answer
            real = real_settings(program, line)
            assert real, "no statistics"
            for key, value in answer["settings"].items():
                assert real[key] == value, (name, line, key, real[key])
        assert "\n    compiled into the program: prof:true,prof_active:false\n" in prints("prof_final:true", program)[1]
    plain = cc("plain", USES_MALLOC, *STATIC)
    assert check("prof_final:true", plain)[0] == 3


def test_a_run_path():
    """The library is found beside the program, also through another library; not where the program lacks it."""
    os.mkdir("lib")
    shutil.copy(JEMALLOC, "lib/libjemalloc.so.2")
    cc("lib/libmiddle.so", "void *malloc(unsigned long); void *middle(void) { return malloc(1); }", "-shared", "-fPIC",
       "-Wl,--no-as-needed", "-Llib", "-l:libjemalloc.so.2", "-Wl,-rpath,$ORIGIN")
    program = cc("server", "void *middle(void);\nint main(void) { return middle() == 0; }\n", "-Llib", "-lmiddle",
                 "-Wl,-rpath,$ORIGIN/lib", "-Wl,-rpath-link,lib")
    found = jemalloc_of(program)
    assert found["path"] == "./lib/libjemalloc.so.2", found
    os.remove("lib/libjemalloc.so.2")
    assert os.path.samefile(jemalloc_of(program)["path"], JEMALLOC)
    os.remove("lib/libmiddle.so")
    status, answer, _ = check("prof:true", program)
    assert status == 3 and answer["jemalloc"] == {"found": "nowhere", "missing": "libmiddle.so"}, answer


def test_no_jemalloc():
    for program in ["/bin/true", str(HERE / "heapflame")]:
        status, answer, _ = check("prof:true", program)
        assert status == 3 and answer["jemalloc"] == {"found": "nowhere"}, answer
        assert "LD_PRELOAD=" in answer["findings"][0]["text"], answer
    preload = re.search(r"LD_PRELOAD=(\S+)", answer["findings"][0]["text"])[1]
    assert os.path.samefile(preload, JEMALLOC)


def library(name, *texts):
    """A library with these texts among its constants, as a jemalloc built so has them."""
    body = ", ".join(json.dumps(text) for text in ["<jemalloc>: Error in atexit()\n", *texts])
    return cc(name, f"const char *const texts[] = {{ {body} }};\n", "-shared", "-fPIC", "-s")


def test_other_builds():
    """As found in builds of 5.1.0 and 5.3.0: with --with-jemalloc-prefix=_rjem_, without --enable-prof."""
    hashed = "g54eaed1d8b56b1aa528be3bdd1877e59c56fa90c"
    rust = library("rust.so", "/etc/_rjem_malloc.conf", f"5.3.0-0-{hashed}", "heap_v2/%lu", "link named /etc/malloc.conf")
    found = jemalloc_of(rust)
    assert found["variable"] == "_RJEM_MALLOC_CONF" and found["profiling"], found
    assert prints("prof:1", rust)[1].splitlines()[-1] == "export _RJEM_MALLOC_CONF='prof:true'"
    plain = library("noprof.so", "/etc/malloc.conf", f"5.3.0-0-{hashed}")
    status, answer, _ = check("prof:true", plain)
    assert status == 3 and "built without profiling" in answer["findings"][0]["text"], answer
    assert not answer["profiling"] and answer["complains"]
    assert "export" not in prints("prof:true", plain)[1]
    assert check("tcache:true", plain)[0] == 0
    old = library("old.so", "/etc/malloc.conf", "5.1.0-0-g61efbda7098de6fe64c362d309824864308c36d4", "heap_v2/%lu")
    status, answer, _ = check("prof:true,prof_log:true", old)
    assert status == 3 and answer["fixed"] == "prof:true", answer
    assert check("prof:true,prof_log:true", old, "--jemalloc", "5.2.0")[0] == 0
    new = library("new.so", "/etc/malloc.conf", f"5.3.0-171-{hashed}", "heap_v2/%lu")
    status, answer, _ = check("prof:true,prof_bt_max:200", new)
    assert status == 0 and "later snapshot" in answer["findings"][0]["text"], answer
    assert "jemalloc 5.3.0-171 " in prints("prof:true", new)[1]
    unknown = library("unknown.so", "/etc/malloc.conf", "0.0.0-0-g000000missing_version_try_git_fetch_tags")
    assert "version" not in jemalloc_of(unknown)
    assert "of unknown version" in prints("tcache:true", unknown)[1]


def test_what_is_no_program():
    Path("text").write_text("no program\n")
    Path("empty").touch()
    for path, sentence in {"text": "text: offset 0x0: is not an ELF file", "empty": "empty: offset 0x0: is not an ELF file",
                           "nowhere": "cannot open nowhere: No such file or directory",
                           ".": ". is not a regular file"}.items():
        status, answer, err = check("prof:true", path)
        assert (status, answer, err) == (5, None, f"heapflame: {sentence}\n"), (path, status, err)


def test_damaged_programs():
    """Cut at many places, or with one byte changed: an answer or a sentence, never a crash."""
    whole = Path(cc("small", BUILT_IN + USES_MALLOC, "-s", "-Wl,--no-as-needed", "-ljemalloc")).read_bytes()
    for at in [*range(0, 64, 5), *range(64, len(whole), len(whole) // 40)]:
        changed = bytearray(whole)
        changed[at] ^= 0xFF
        for data in whole[:at], bytes(changed):
            Path("damaged").write_bytes(data)
            status, answer, err = check("prof:true", "./damaged")
            assert (status in (0, 3)) == (answer is not None) and status in (0, 3, 5), (at, status, err)


if __name__ == "__main__":
    if not os.path.exists(JEMALLOC) or not os.path.exists(ARCHIVE):
        print("libjemalloc2 or libjemalloc-dev is not installed for x86-64")
        sys.exit(77)
    sys.exit(run_tests(globals()))
