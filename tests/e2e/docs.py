#!/usr/bin/env python3
# timeout: 300
# sanitized: no, each command has sanitized tests of its own
"""Runs what the documentation tells people to type: the ```sh blocks of README.md, the EXAMPLES of the man pages.

Each document gets a folder in which `./server` is the example service, and the files that README.md makes
(before.heap, after.heap, heap.folded) exist, and out.stap, the output of a SystemTap script. http://localhost:PORT is
a running service whose cache is full, and 4711 a process with the memory contexts of PostgreSQL. A ```text block right after a ```sh block is the end of its output; sizes of
whole processes may differ. A comment "<!-- not run: why -->" before a block says that it is not run. A block fails with
its first failing command.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import urllib.request

SRC, BUILD = pathlib.Path(os.environ["HEAPFLAME_SRC"]), pathlib.Path(os.environ["BUILD"])
SERVICE = BUILD / "examples/leaky-service/leaky-service"
URL = re.compile(r"http://localhost:\d+")
MADE_BY_README = ["before.heap", "after.heap", "heap.folded"]
SCRIPT = re.compile(r"(<!-- not run[^\n]*-->\n)?```sh\n(.*?)```\n(?:\n```text\n(.*?)```\n)?", re.DOTALL)
EXAMPLE = re.compile(r"^```\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def readme_blocks():
    """[(commands, expected end of the output or None)]"""
    return [(commands, shown or None) for not_run, commands, shown in SCRIPT.findall((SRC / "README.md").read_text())
            if not not_run]


def page_blocks(page):
    examples = re.search(r"^# EXAMPLES$(.*?)^# ", page.read_text(), re.DOTALL | re.MULTILINE)
    return [(commands, None) for commands in EXAMPLE.findall(examples.group(1))] if examples else []


def without_totals(text):
    return re.sub(r"^A [\d.]+ (\w+) → B [\d.]+ ", r"A ... \1 → B ... ", text, flags=re.MULTILINE)


def in_short(commands):
    """Processes are watched for seconds, not minutes."""
    commands = re.sub(r" --every \S+ --for \S+", " --every 500ms --for 3s", commands)
    return re.sub(r" -d \d+(s|min|m)\b", " -d 2s", commands)


def run_blocks(document, blocks, folder, url, pid):
    """The messages of what went wrong."""
    if not blocks:
        return [f"{document}: has no example"]
    wrong = []
    for commands, shown in blocks:
        done = subprocess.run(["bash", "-euo", "pipefail", "-c", in_short(URL.sub(url, commands)).replace("4711", str(pid))],
                              cwd=folder, capture_output=True, text=True, check=False, timeout=600)
        if done.returncode != 0:
            wrong.append(f"{document}: exit status {done.returncode}:\n{commands}{done.stderr}")
        elif shown and not without_totals(done.stdout).endswith(without_totals(shown)):
            wrong.append(f"{document}: shows\n{shown}but this came out:\n{done.stdout}")
    return wrong


def start_service(folder):
    env = os.environ | {"MALLOC_CONF": "prof:true,lg_prof_sample:0"}
    service = subprocess.Popen([SERVICE, "--port", "0", "--cache-limit", "32MiB"], cwd=folder, env=env,
                               stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    line = service.stdout.readline()
    if not line.startswith("listening on http"):
        raise SystemExit(f"the service did not start: {line}")
    return service, line.split()[-1]


def start_server(folder):
    program = folder / "postgres"
    subprocess.run(["gcc", "-rdynamic", "-o", program, SRC / "tests/pg/server.c"], check=True)
    server = subprocess.Popen([program.resolve()], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    server.stdout.read(1)
    return server


def main():
    for needed in "curl", "dot":
        if not shutil.which(needed):
            print(f"{needed} is missing")
            return 77
    if not SERVICE.exists():
        print("the example service is not built")
        return 77
    os.environ |= {"NO_PROXY": "127.0.0.1,localhost", "no_proxy": "127.0.0.1,localhost"}
    root = pathlib.Path(tempfile.mkdtemp(dir="."))
    service, url = start_service(root)
    server = start_server(root)
    try:
        urllib.request.build_opener(urllib.request.ProxyHandler({})).open(f"{url}/cache?n=32").read()
        first = root / "README"
        first.mkdir()
        (first / "server").symlink_to(SERVICE)
        wrong = run_blocks("README.md", readme_blocks(), first, url, server.pid)
        for page in sorted((SRC / "man").glob("*.scd")):
            folder = root / page.stem
            folder.mkdir()
            (folder / "server").symlink_to(SERVICE)
            shutil.copy(SRC / "tests/fixtures/stap/ao_truncate.stap", folder / "out.stap")
            for name in MADE_BY_README:
                if (first / name).exists():
                    shutil.copy2(first / name, folder)  # with its time
            wrong += run_blocks(f"man/{page.name}", page_blocks(page), folder, url, server.pid)
    finally:
        server.kill()
        server.wait()
        service.terminate()
        service.wait()
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
