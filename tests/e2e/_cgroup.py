"""A memory cgroup for programs that the kernel shall kill."""

import os
import time
from pathlib import Path

NONE = "no memory cgroup can be made here: root, and a kernel that has them, is needed"


class Group:
    """A memory cgroup of this test's own, with a limit; `version` 0: none can be made here."""

    def __init__(self, limit):
        lines = Path("/proc/self/cgroup").read_text().splitlines()
        paths = {line.split(":")[1]: line.split(":", 2)[2] for line in lines}
        self.version = 0
        for version, mount, key, name in [
            (1, "/sys/fs/cgroup/memory", "memory", "memory.limit_in_bytes"),
            (2, "/sys/fs/cgroup", "", "memory.max"),
        ]:
            for above in [mount + paths.get(key, "/nothing"), mount]:
                folder = Path(above) / f"heapflame-test-{os.getpid()}"
                if self.version or not Path(mount, "memory.usage_in_bytes" if version == 1 else "cgroup.procs").exists():
                    continue
                try:
                    folder.mkdir()
                    self.folder = folder
                    (folder / name).write_text(str(limit))
                    self.version = version
                except OSError:
                    if folder.exists():
                        folder.rmdir()

    def add(self, pid):
        (self.folder / "cgroup.procs").write_text(str(pid))

    def remove(self):
        for _ in range(100):
            try:
                self.folder.rmdir()
                return
            except OSError:
                time.sleep(0.05)
