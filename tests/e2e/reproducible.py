#!/usr/bin/env python3
# timeout: 600
# sanitized: no, what is installed is not
"""The same sources in another folder become the same bytes: command, agent, libraries, pages and bill of materials, with
their debug information, and the object for the kernel within the command.

Of the command, its commands: what makes each object and links them is the same there, and so is each source that is
made, and each EVERY-th object. bench/soak.d/reproducible.py builds all of it."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from _heap import SOURCE, need
from _suite import run_tests

need("meson", "ninja", "objdump")

BUILD = Path(os.environ["BUILD"]).resolve()
WHOLE = "HEAPFLAME_REPRODUCE_ALL" in os.environ or BUILD.parent != SOURCE  # elsewhere, paths of sources have another form
EVERY = 12
SAME_OPTIONS = ("optimization", "debug", "werror", "b_pie", "b_ndebug", "b_lto", "c_args", "c_link_args", "prefix", "libdir",
                "datadir", "mandir")


def sources():
    """What is tracked, or would be; without git, what is no build."""
    if (SOURCE / ".git").exists() and shutil.which("git"):
        listed = subprocess.run(["git", "-c", f"safe.directory={SOURCE}", "ls-files", "-z", "--cached", "--others",
                                 "--exclude-standard", "--deduplicate"], cwd=SOURCE, capture_output=True, check=True).stdout
        names = [os.fsdecode(name) for name in listed.split(b"\0") if name]
    else:
        parts = [path.relative_to(SOURCE).parts for path in SOURCE.rglob("*") if not path.is_dir()]
        names = ["/".join(part) for part in parts
                 if not part[0].startswith("build") and not {"node_modules", ".git", "headers"} & set(part)]
    return [name for name in names if (SOURCE / name).is_file()]


def options():
    """As the first was configured."""
    for option in json.loads((BUILD / "meson-info/intro-buildoptions.json").read_text()):
        if option["section"] == "user" and option["name"] != "fuzzers" or option["name"] in SAME_OPTIONS:
            value = option["value"]
            value = " ".join(value) if isinstance(value, list) else str(value).lower() if isinstance(value, bool) else value
            yield f"-D{option['name']}={value}"


def installed(build):
    """The files that are built and installed."""
    plan = json.loads((build / "meson-info/intro-targets.json").read_text())
    return sorted(str(Path(name).relative_to(build)) for target in plan if target["installed"] for name in target["filename"])


def commands(folder, build, names):
    """What is run to make these, without the names of the folders, and of that in which a tool is."""
    done = subprocess.run(["ninja", "-C", build, "-t", "commands", *names], capture_output=True, text=True, check=True)
    lines = [line.replace(str(build), "@BUILD").replace(str(folder), "@") for line in done.stdout.splitlines()[1:]]
    return sorted(re.sub(r"^/\S*/", "", line) for line in lines)


def part_of(names, made_by):
    """What is installed but the command and what it prints; and of what that is made of, what is said above."""
    text = "\n".join(made_by)
    # The agent's have random numbers in them, for the optimization at link time (it is built as a whole); embed is a tool.
    objects = sorted(set(re.findall(r" -o ((?!agent/libheapflame\.so\.p/|src/embed\.p/)\S+\.c\.o) ", text)))
    sources = re.findall(r"(?m)^@BUILD/src/embed .* (\S+\.c)$", text)
    for_kernel = re.findall(r" (\S+\.bpf\.o)(?: |$)", text)
    by_command = {"heapflame", *re.findall(r" --capture (\S+) -- @BUILD/heapflame ", text)}
    assert len(objects) > 300 and len(sources) > 10 and len(by_command) > 1, (len(objects), len(sources), by_command)
    return sorted({*(name for name in names if name not in by_command), *objects[::EVERY], *sources, *for_kernel})


def test_two_folders_one_result():
    other = Path("another-folder/of-another-length/heapflame").absolute()
    for name in sources():
        (other / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(SOURCE / name, other / name, follow_symlinks=True)
    words = json.loads((BUILD / "compile_commands.json").read_text())[0]["command"].split()
    compiler = next(word for word in words if word != "ccache")  # which meson finds itself
    environment = {**os.environ, "CC": compiler, "TZ": "Pacific/Chatham", "LC_ALL": "C", "USER": "another", "HOME": str(other)}
    setup = subprocess.run(["meson", "setup", *options(), "build"], cwd=other, env=environment, capture_output=True, text=True)
    assert setup.returncode == 0, setup.stdout[-3000:]
    names = installed(other / "build")
    assert names == installed(BUILD) and {"heapflame", "agent/libheapflame.so"} <= set(names), names
    if not WHOLE:
        made_by = commands(SOURCE, BUILD, names)
        # meson's own have numbers of the folder in them; what they make is compared.
        here, there = ([line for line in lines if not line.startswith("meson ")]
                       for lines in (made_by, commands(other, other / "build", names)))
        assert here == there, [pair for pair in zip(here, there) if pair[0] != pair[1]][:3]
        names = part_of(names, made_by)
    build = subprocess.run(["ninja", "-C", "build", *names], cwd=other, env=environment, capture_output=True, text=True)
    assert build.returncode == 0, build.stdout[-3000:]
    differ = [name for name in names if (other / "build" / name).read_bytes() != (BUILD / name).read_bytes()]
    told = [name for name in names if any(bytes(folder) in (BUILD / name).read_bytes() for folder in (SOURCE, other))]
    print(f"{len(names)} files")
    assert not differ and not told, f"differ: {differ}; hold the folder's name: {told}"


if __name__ == "__main__":
    sys.exit(run_tests(globals()))
