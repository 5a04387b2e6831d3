"""A command that is stopped at each of its system calls, to be killed there or to find the world changed."""

import ctypes
import os
import signal
import struct

LIBC = ctypes.CDLL(None, use_errno=True)
LIBC.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
TRACEME, CONT, DETACH, SYSCALL, SETOPTIONS, SYSCALL_INFO = 0, 7, 17, 24, 0x4200, 0x420E
STOPS_AT_CALLS = 1  # PTRACE_O_TRACESYSGOOD
ENTRY = 1
NUMBERS = {  # of system calls: x86-64, arm64
    "openat": (257, 56), "fsync": (74, 82), "linkat": (265, 37), "renameat": (264, 38), "memfd_create": (319, 279),
}
IS_ARM = os.uname().machine == "aarch64"
NO_NEW_PRIVS, SET_SECCOMP = 38, 22
O_TMPFILE_BIT = 0o20000000


def number_of(name):
    return NUMBERS[name][IS_ARM]


def ptrace(request, pid, address=0, data=0):
    if LIBC.ptrace(request, pid, address, data) < 0:
        raise OSError(ctypes.get_errno(), f"ptrace {request}")


def without_unnamed_files():
    """Of this process, and what it executes: the file system has no O_TMPFILE, as NFS and vfat have none."""
    def step(code, yes, no, value):
        return struct.pack("<HBBI", code, yes, no, value)

    program = b"".join([
        step(0x20, 0, 0, 0), step(0x15, 0, 3, number_of("openat")),  # openat?
        step(0x20, 0, 0, 32), step(0x45, 0, 1, O_TMPFILE_BIT),  # with that flag?
        step(0x06, 0, 0, 0x00050000 | 95),  # EOPNOTSUPP
        step(0x06, 0, 0, 0x7FFF0000),
    ])
    steps = ctypes.create_string_buffer(program)
    filter_ = ctypes.create_string_buffer(struct.pack("<HxxxxxxQ", len(program) // 8, ctypes.addressof(steps)))
    assert LIBC.prctl(NO_NEW_PRIVS, 1, 0, 0, 0) == 0
    assert LIBC.prctl(SET_SECCOMP, 2, filter_, 0, 0) == 0, ctypes.get_errno()


class Traced:
    """`prepare`: called in the child before it executes the command. Its output goes nowhere."""

    def __init__(self, *command, prepare=None):
        self.pid = os.fork()
        if self.pid == 0:
            try:
                os.environ["ASAN_OPTIONS"] = "detect_leaks=0"  # which looks for leaks by ptrace itself
                out = os.open("traced.out", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
                os.dup2(out, 1)
                os.dup2(out, 2)
                if prepare is not None:
                    prepare()
                ptrace(TRACEME, 0)
                os.execv(command[0], [str(word) for word in command])
            finally:
                os._exit(126)
        self.status = None
        self.wait()
        assert self.status is None, f"{command[0]} did not start"
        ptrace(SETOPTIONS, self.pid, 0, STOPS_AT_CALLS)

    def wait(self):
        """The signal that stopped it; None: it has ended, and `status` says how."""
        _, how = os.waitpid(self.pid, 0)
        if os.WIFSTOPPED(how):
            return os.WSTOPSIG(how)
        self.status = how
        return None

    def stops(self):
        """At the entry and the exit of each system call: (its number, True at the entry)."""
        passed_on, number = 0, None
        while True:
            ptrace(SYSCALL, self.pid, 0, passed_on)
            stopped_by = self.wait()
            if stopped_by is None:
                return
            passed_on = 0
            if stopped_by != signal.SIGTRAP | 0x80:
                passed_on = stopped_by
                continue
            info = ctypes.create_string_buffer(88)
            ptrace(SYSCALL_INFO, self.pid, len(info), ctypes.addressof(info))
            is_entry = info.raw[0] == ENTRY
            if is_entry:
                number = struct.unpack_from("<Q", info.raw, 24)[0]
            yield number, is_entry

    def end_by(self, ending):
        """The signal comes here; what it then does it does untraced. Its wait status."""
        os.kill(self.pid, ending)
        if ending != signal.SIGKILL:
            # The signal stops it once more before it acts, or at the next unblocking.
            ptrace(DETACH, self.pid, 0, 0)
        self.status = os.waitpid(self.pid, 0)[1]
        return self.status
