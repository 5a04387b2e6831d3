#!/usr/bin/env python3
"""What `script/new` begins builds, and its tests fail as they should; each of its pieces, left out, is missed by
`script/lint complete`, by name. So docs/ARCHITECTURE.md's "Where do I add" is true, and nothing is added by half. They are
built without anything that is optional (meson_options.txt), and the command says what it lacks."""
# sanitized: no, it builds a tree of its own
# timeout: 300

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from _suite import run_tests

SRC = Path(os.environ["HEAPFLAME_SRC"])
KINDS = "format", "writer", "command", "preset", "allocator", "backend"
OPTION = "toy-option"  # and nowhere here as a command has it, or it would count as tested
tree = Path.cwd() / "tree"
heapflame = tree / "build/heapflame"


def run(*command, status=None, **more):
    done = subprocess.run(command, capture_output=True, text=True, check=False, **more)
    said = done.stdout + done.stderr
    assert status is None or done.returncode == status, f"{command}: status {done.returncode}: {said}"
    return done.returncode, said


def copy_tree():
    if (SRC / ".git").exists():
        listed = subprocess.run(["git", "-C", SRC, "ls-files", "-z", "--cached", "--others", "--exclude-standard"], capture_output=True, check=True)
        for name in set(listed.stdout.decode().split("\0")) - {""}:
            if (SRC / name).is_file():
                (tree / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(SRC / name, tree / name)
    else:
        shutil.copytree(SRC, tree, ignore=shutil.ignore_patterns("build*", "node_modules", "obj-*"))


def toy(kind):
    return "toy_" + kind


def is_complete():
    run(tree / "script/lint", "--root", tree, "complete", status=0)


def pieces(kind):
    """Begins one, and returns (path, its text before or None) of each file."""
    before = {path: path.read_text() for path in tree.rglob("*") if path.is_file() and path.suffix in (".h", ".build", ".md", ".scd") or path.name in ("parsers", "main.c", "allocator.c")}
    said = run(tree / "script/new", kind, toy(kind), status=0)[1]
    return [(tree / name, before.get(tree / name)) for name in re.findall(r"^(?:made|changed) +(.*)", said, re.M)]


def test_nothing_by_half():
    copy_tree()
    is_complete()
    for kind in KINDS:
        made = pieces(kind)
        assert len(made) >= 4, (kind, made)
        is_complete()
        for path, before in made:
            if path.name == "out":  # what a golden case must print: without it, nothing must be printed
                continue
            aside = shutil.move(path, tree / "aside")
            if before is not None:
                path.write_text(before)
            code, said = run(tree / "script/lint", "--root", tree, "complete")
            assert code == 1 and toy(kind) in said, (path, said)
            shutil.move(aside, path)
        is_complete()
    for name in toy("format"), "Toy", "top":
        code, said = run(tree / "script/new", "format" if name != "top" else "command", name)
        assert code == 1 and said.startswith("script/new: ") and said.count("\n") == 1, said


def test_it_builds_and_its_tests_fail():
    run(tree / "script/lint", "--root", tree, "format", "floors", "names", "text", status=0)
    run(tree / "script/new", "option", f"{toy('command')}.toy-option", status=0)
    run(tree / "script/new", "option", "trend.toy-option", status=0)
    assert f"trend has --{OPTION} already" in run(tree / "script/new", "option", "trend.toy-option", status=1)[1]
    is_complete()
    cases = sorted(tree.glob("tests/cmd/*/option-toy-option"))
    for case in cases:
        case.rename(tree / case.parent.name)
    said = run(tree / "script/lint", "--root", tree, "complete", status=1)[1]
    assert said.count(f"no test gives the option --{OPTION} (") == 2, said
    for case in cases:
        (tree / case.parent.name).rename(case)
    options = ["-Dauto_features=disabled", "-Doptimization=0", "-Ddebug=false", "-Dwerror=true"]
    run("meson", "setup", *options, tree / "build", cwd=tree, status=0, env={**os.environ, "CC": "gcc"})
    run("ninja", "-C", tree / "build", "heapflame", "agent/libheapflame.so", status=0)
    _, said = run(heapflame, "fold", tree / "fuzz/corpus" / toy("format") / "seed-first", status=3)
    assert f"is of the format {toy('format')}, whose reader is not written yet" in said, said
    _, said = run(heapflame, "convert", "--to", toy("writer"), SRC / "tests/fixtures/a.folded", status=2)
    assert f"writing the format {toy('writer')} is not written yet" in said, said
    _, said = run(heapflame, toy("command"), status=2)
    assert f"the command {toy('command')} is not written yet" in said, said
    assert f"spec {toy('preset')}" in run(heapflame, "attach", "--print-spec", toy("preset"), status=0)[1]
    assert toy("command") in run(heapflame, "--help", status=0)[1]
    assert f"--{OPTION}" in run(heapflame, "trend", "--help", status=0)[1]
    run(tree / "script/lint", "--root", tree, "man", status=0, env={**os.environ, "HEAPFLAME": str(heapflame)})
    code, said = run(tree / "tests/run", "--build", tree / "build", "--filter", "^(cmd|e2e)/.*toy_", cwd=tree)
    failed = set(re.findall(r"^FAILED +(\S+)", said, re.M))
    assert code == 1 and failed == {
        f"cmd/formats/{toy('format')}", f"cmd/convert/{toy('writer')}", f"cmd/help/{toy('command')}",
        f"cmd/{toy('command')}/option-toy-option", f"e2e/preset_{toy('preset')}.py",
        f"e2e/preset_{toy('allocator')}.py", f"e2e/attach_backend_{toy('backend')}.py",
    }, said


def test_what_is_optional_is_missing():
    said = run(heapflame, "doctor")[1]
    assert re.search(r"^bpf +no +this heapflame was built without eBPF: build it with clang and libbpf-dev", said, re.M), said
    said = run(heapflame, "attach", str(os.getpid()), "--backend", "bpf", "-q", status=5)[1]
    assert "built without eBPF" in said, said
    plan = json.loads((tree / "build/meson-info/intro-targets.json").read_text())
    names = [Path(name) for target in plan if target["build_by_default"] for name in target["filename"]]
    assert any(name.name == "heapflame" for name in names), names
    left = [name for name in names if re.search(r"\.1$|leaky-service$|test_\w+$", name.name)]
    assert not left, left


def test_all_are_features():
    """One left as 'auto' in silence is one that a build may lack without anybody having said so."""
    for path in SRC.glob("**/meson.build"):
        if "node_modules" in path.parts or path.relative_to(SRC).parts[0].startswith("build"):
            continue
        for line in path.read_text().splitlines():
            found = re.search(r"required: *false", line)
            assert not found or re.search(r"find_library\('dl'|'jansson', static: true", line), (path, line)


def test_options_are_typed():
    """An option whose row and member are of different types does not compile."""
    source = tree / f"src/cli/profiles/cmd_{toy('command')}.c"
    source.write_text(source.read_text().replace("bool is_json;", "uint64_t is_json;"))
    code, said = run("ninja", "-C", tree / "build", "heapflame")
    assert code == 1 and "is_json" in said and "size of" in said, said


sys.exit(run_tests(globals()))
