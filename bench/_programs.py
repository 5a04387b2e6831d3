"""Large real programs and dumps of them, for fold.py and symbolize.py; made once, in HEAPFLAME_BENCH_CACHE.

All of it comes from Debian's packages: `script/bootstrap bench` unpacked ceph-mon and the Rust crates, the sources of
PostgreSQL and protobuf are fetched here, by the system's own list of mirrors. Empty the cache to begin anew.

  ceph-mon       C++, GCC, 167 MB of .debug_info: the program and its debug file merged, as if it was never stripped
  ceph-osd       likewise, 380 MB of .debug_info: for symbolize_sizes.py
  postgres       C, GCC -O2 -g
  postgres-lto   the same, -flto: all code in the one unit that the link made
  protoc         C++, clang -O2 -g
  parse-rust     Rust, release with full debug information: bench/rust/parse.rs
"""

import glob
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile

CACHE = os.environ["HEAPFLAME_BENCH_CACHE"]
SOURCE = os.path.dirname(os.path.abspath(__file__))
ROOT, DUMPS, SOURCES = (os.path.join(CACHE, name) for name in ("root", "dumps", "sources"))
CEPH = os.path.join(CACHE, "ceph-mon")
CEPH_OSD = os.path.join(CACHE, "ceph-osd")
POSTGRES = os.path.join(CACHE, "postgres/bin/postgres")
POSTGRES_LTO = POSTGRES + "-lto"
PROTOC = os.path.join(CACHE, "protobuf/protoc")
CRATES = os.path.join(ROOT, "usr/share/cargo/registry")
RUST = os.path.join(CACHE, "rust")  # what cargo builds
PARSE_RUST, GIMLI = os.path.join(RUST, "measured/parse-rust"), os.path.join(RUST, "release/gimli-addr2line")
LIBRARIES = [os.path.join(ROOT, p) for p in ("usr/lib/x86_64-linux-gnu", "usr/lib/x86_64-linux-gnu/ceph",
                                             "lib/x86_64-linux-gnu")]
CONFIG = """[global]
fsid = 11111111-1111-1111-1111-111111111111
mon host = 127.0.0.1:{port}
auth_cluster_required = none
auth_service_required = none
auth_client_required = none
log file = {folder}/log
plugin dir = {root}/usr/lib/x86_64-linux-gnu/ceph
erasure code dir = {root}/usr/lib/x86_64-linux-gnu/ceph/erasure-code
"""


def output_of(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def run(*command, **options):
    """Runs one step of the preparation; what it printed is shown if it fails."""
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)[:200]} failed:\n{done.stdout[-4000:]}")


def debug_info_bytes(binary):
    info = next(line.split() for line in output_of("readelf", "-WS", binary).splitlines() if " .debug_info " in line)
    return int(info[info.index("PROGBITS") + 3], 16)


def record(name, lg_sample, command, libraries=(), seconds=60, stdin=subprocess.DEVNULL):
    """Runs a program (so long) under jemalloc's profiler; its largest dump becomes DUMPS/name.heap."""
    path = os.path.join(DUMPS, name + ".heap")
    if os.path.exists(path):
        return
    with tempfile.TemporaryDirectory() as folder, open(os.path.join(folder, "output"), "w+") as output:
        options = f"prof:true,prof_final:true,prof_accum:true,lg_prof_sample:{lg_sample},prof_prefix:{folder}/heap"
        env = dict(os.environ, LD_PRELOAD="libjemalloc.so.2", MALLOC_CONF=options,
                   LD_LIBRARY_PATH=":".join(libraries))
        child = subprocess.Popen(command, env=env, stdin=stdin, stdout=output, stderr=output)
        try:
            child.wait(seconds)
        except subprocess.TimeoutExpired:
            child.terminate()
            child.wait(60)
        found = sorted(glob.glob(os.path.join(folder, "heap.*.heap")), key=os.path.getsize)
        output.seek(0)
        if not found:
            sys.exit(f"{' '.join(command)[:200]} wrote no dump:\n{output.read()[-2000:]}")
        os.makedirs(DUMPS, exist_ok=True)
        shutil.copy(found[-1], path + ".tmp")
        os.rename(path + ".tmp", path)


def merge_debug_information(merged_path):
    """The stripped program of that name and its debug file as one, as a program that was never stripped."""
    if os.path.exists(merged_path):
        return
    stripped = os.path.join(ROOT, "usr/bin", os.path.basename(merged_path))
    build_id = output_of("readelf", "-n", stripped).split("Build ID: ")[1].split()[0]
    debug = os.path.join(ROOT, "usr/lib/debug/.build-id", build_id[:2], build_id[2:] + ".debug")
    merged = merged_path + ".tmp"
    run("eu-unstrip", "-o", merged, stripped, debug)
    run("objcopy", "--decompress-debug-sections", merged)
    os.rename(merged, merged_path)


def prepare_ceph_mon():
    merge_debug_information(CEPH)


def prepare_ceph_osd():
    merge_debug_information(CEPH_OSD)


def prepare_ceph():
    """CEPH, and dumps of `--help`, of `--mkfs`, and of a monitor that ran for some seconds."""
    merge_debug_information(CEPH)
    record("ceph-help", 12, [CEPH, "--help"], LIBRARIES)
    with tempfile.TemporaryDirectory() as folder, socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
        free.close()
        config = os.path.join(folder, "ceph.conf")
        with open(config, "w", encoding="utf-8") as out:
            out.write(CONFIG.format(port=port, folder=folder, root=ROOT))
        data = os.path.join(folder, "mon")
        os.mkdir(data)
        monitor = [CEPH, "-c", config, "-i", "a", "--mon-data", data]
        record("ceph-mkfs", 6, monitor + ["--mkfs"], LIBRARIES)
        run(*monitor, "--mkfs", env=dict(os.environ, LD_LIBRARY_PATH=":".join(LIBRARIES)))
        record("ceph-run", 4, monitor + ["-f", "--public-addr", f"127.0.0.1:{port}"], LIBRARIES, seconds=10)


def fetch_source(package):
    """The folder of a Debian package's upstream source, of the release that runs here."""
    folder = os.path.join(SOURCES, package)
    os.makedirs(SOURCES, exist_ok=True)
    if os.path.exists(folder):
        return folder
    with open("/etc/os-release", encoding="utf-8") as lines:
        release = dict(line.strip().split("=", 1) for line in lines if "=" in line)["VERSION_CODENAME"]
    with tempfile.TemporaryDirectory() as work:
        parts = os.path.join(work, "sources.list.d")
        os.makedirs(parts)
        os.makedirs(os.path.join(work, "lists/partial"))
        for path in ["/etc/apt/sources.list", *glob.glob("/etc/apt/sources.list.d/*")]:
            with open(path, encoding="utf-8") if os.path.exists(path) else open(os.devnull) as lines:
                text = lines.read()
            if re.search(rf"\s{release}(\s|$)", text):
                with open(os.path.join(parts, os.path.basename(path)), "w", encoding="utf-8") as out:
                    out.write(re.sub(r"^(Types: *)?deb(?=\s)", r"\1deb-src", text, flags=re.M))
        apt = ["apt-get", "-qq", "-o", "Dir::Etc::sourcelist=-", "-o", f"Dir::Etc::sourceparts={parts}",
               "-o", f"Dir::State::lists={work}/lists", "-o", "APT::Sandbox::User=root", "-o", "Acquire::Retries=3"]
        run(*apt, "update")
        run(*apt, "--download-only", "source", f"{package}/{release}", cwd=work)
        os.makedirs(folder + ".tmp", exist_ok=True)
        run("tar", "-xf", glob.glob(os.path.join(work, "*.orig.tar.*"))[0], "--strip-components=1", "-C", folder + ".tmp")
        os.rename(folder + ".tmp", folder)
    return folder


def replace_in(path, old, new):
    with open(path, encoding="utf-8") as source:
        text = source.read()
    with open(path, "w", encoding="utf-8") as out:
        out.write(text.replace(old, new))


def build_postgres(binary, flags, *targets):
    """Builds PostgreSQL's server apart from its source, and puts it at `binary`."""
    if os.path.exists(binary):
        return
    source, prefix = fetch_source("postgresql-15"), os.path.dirname(os.path.dirname(POSTGRES))
    for file in ("src/backend/main/main.c", "src/bin/initdb/initdb.c"):
        replace_in(os.path.join(source, file), "geteuid() == 0", "0")  # in a container everybody is root
    jobs = f"-j{os.cpu_count()}"
    with tempfile.TemporaryDirectory(dir=SOURCES) as build:
        run(os.path.join(source, "configure"), "-q", f"--prefix={prefix}", "--without-readline", "--without-zlib",
            f"CFLAGS=-O2 -g {flags}", "AR=gcc-ar", cwd=build)
        for target in targets:
            run("make", "-s", jobs, *target.split(), cwd=build)
        server = os.path.join(build, "src/backend/postgres")
        shutil.copy(server, binary + ".tmp")
        os.rename(binary + ".tmp", binary)


def queries_of(source):
    """PostgreSQL's own regression tests in their order, as single-user mode reads them: an empty line behind each
    command, no backslash commands, files of data by their paths.
    """
    queries, folder = tempfile.TemporaryFile("w+"), os.path.join(source, "src/test/regress")
    with open(os.path.join(folder, "parallel_schedule"), encoding="utf-8") as lines:
        names = [name for line in lines if line.startswith("test:") for name in line.split()[1:]]
    for name in names:
        paths, kept = {}, []
        with open(os.path.join(folder, "sql", name + ".sql"), encoding="utf-8", errors="replace") as lines:
            for line in lines:
                assigned = re.match(r"\\set (\w+) :abs_srcdir '(.*)'", line)
                if assigned:
                    paths[assigned[1]] = folder + assigned[2]
                elif line.strip() and not line.startswith("\\"):
                    kept.append(re.sub(r":'(\w+)'", lambda used: f"'{paths.get(used[1], used[1])}'", line))
        queries.write(re.sub(r";[ \t]*(--.*)?\n", ";\n\n", "".join(kept)) + "\n\n")
    queries.seek(0)
    return queries


def record_postgres(name, server):
    if os.path.exists(os.path.join(DUMPS, name + ".heap")):
        return
    with tempfile.TemporaryDirectory() as folder, queries_of(fetch_source("postgresql-15")) as queries:
        run(os.path.join(os.path.dirname(POSTGRES), "initdb"), "-N", "-D", folder, "-A", "trust")
        record(name, 0, [server, "--single", "-j", "-D", folder, "template1"], stdin=queries, seconds=400)


def prepare_postgres():
    build_postgres(POSTGRES, "", "install")
    record_postgres("postgres", POSTGRES)


def prepare_postgres_lto():
    build_postgres(POSTGRES, "", "install")  # its other programs serve both
    build_postgres(POSTGRES_LTO, "-flto -flto-partition=one", "-C src/backend submake-libpgport generated-headers",
                   "-C src/backend postgres")
    record_postgres("postgres-lto", POSTGRES_LTO)


def prepare_protoc():
    source = fetch_source("protobuf")
    if not os.path.exists(PROTOC):
        with tempfile.TemporaryDirectory(dir=SOURCES) as build:
            run("cmake", source, "-Dprotobuf_BUILD_TESTS=OFF", "-DCMAKE_BUILD_TYPE=None",
                "-DCMAKE_CXX_COMPILER=clang++", "-DCMAKE_C_COMPILER=clang", "-DCMAKE_CXX_FLAGS=-O2 -g",
                "-Dprotobuf_WITH_ZLIB=OFF", cwd=build)
            run("make", "-s", f"-j{os.cpu_count()}", "protoc", cwd=build)
            os.makedirs(os.path.dirname(PROTOC), exist_ok=True)
            shutil.copy(os.path.realpath(os.path.join(build, "protoc")), PROTOC + ".tmp")
            os.rename(PROTOC + ".tmp", PROTOC)
    folder = os.path.join(source, "src")
    files = set(glob.glob(os.path.join(folder, "google/protobuf/**/*.proto"), recursive=True))
    files -= set(glob.glob(os.path.join(folder, "google/protobuf/compiler/ruby/*")))  # import what is not there
    with tempfile.TemporaryDirectory() as out:
        languages = [f"--{language}_out={out}" for language in ("cpp", "java", "objc", "python")]
        record("protoc", 9, [PROTOC, "-I" + folder, *languages, *sorted(files)], seconds=600)


def build_rust(binary, profile):
    if os.path.exists(binary):
        return
    with tempfile.TemporaryDirectory() as folder:  # cargo writes beside the sources
        shutil.copytree(os.path.join(SOURCE, "rust"), folder, dirs_exist_ok=True)
        run("cargo", "build", "--offline", "--profile", profile, "--bin", os.path.basename(binary),
            "--target-dir", RUST, "--config", 'source.crates-io.replace-with="unpacked"',
            "--config", f'source.unpacked.directory="{CRATES}"', cwd=folder)


def prepare_gimli():
    build_rust(GIMLI, "release")


def prepare_rust():
    """PARSE_RUST, and a dump of it reading all crates there are."""
    build_rust(PARSE_RUST, "measured")
    record("parse-rust", 12, [PARSE_RUST, *sorted(glob.glob(os.path.join(CRATES, "**/*.rs"), recursive=True))],
           seconds=600)
