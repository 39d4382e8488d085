"""A seccomp filter for the sandbox: no new namespaces or mounts, no memory that the supervisor cannot see.

Bubblewrap already takes away files, network and processes. What stays reachable is the kernel itself, so calls that no
homework needs answer "not permitted". `memfd_create` and System V shared memory are among them because their pages
belong to no process's resident memory.
"""

from __future__ import annotations

import errno
import platform
import struct

from autograde.errors import SandboxUnavailable

# (audit architecture, {call: number}); numbers from the kernel's syscall tables
_X86_64 = {
    "ptrace": 101, "pivot_root": 155, "mount": 165, "umount2": 166, "swapon": 167, "reboot": 169, "init_module": 175,
    "shmget": 29, "msgget": 68, "semget": 64, "add_key": 248, "request_key": 249, "keyctl": 250, "unshare": 272,
    "perf_event_open": 298, "open_by_handle_at": 304, "setns": 308, "process_vm_readv": 310, "process_vm_writev": 311,
    "finit_module": 313, "memfd_create": 319, "kexec_file_load": 320, "bpf": 321, "userfaultfd": 323,
    "chroot": 161,
}  # fmt: skip
_AARCH64 = {
    "ptrace": 117, "pivot_root": 41, "mount": 40, "umount2": 39, "swapon": 224, "reboot": 142, "init_module": 105,
    "shmget": 194, "msgget": 186, "semget": 190, "add_key": 217, "request_key": 218, "keyctl": 219, "unshare": 97,
    "perf_event_open": 241, "open_by_handle_at": 265, "setns": 268, "process_vm_readv": 270, "process_vm_writev": 271,
    "finit_module": 273, "memfd_create": 279, "kexec_file_load": 294, "bpf": 280, "userfaultfd": 282,
    "chroot": 51,
}  # fmt: skip
# The same numbers on every architecture: they are newer than the unified table.
_COMMON = {
    "io_uring_setup": 425, "io_uring_enter": 426, "io_uring_register": 427, "open_tree": 428, "move_mount": 429,
    "fsopen": 430, "fsconfig": 431, "fsmount": 432, "fspick": 433, "mount_setattr": 442, "memfd_secret": 447,
}  # fmt: skip
_CLONE3 = 435
_MACHINES = {"x86_64": (0xC000003E, _X86_64, 56), "aarch64": (0xC00000B7, _AARCH64, 220)}
# CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET, NEWTIME
_NAMESPACES = 0x0002_0000 | 0x0200_0000 | 0x0400_0000 | 0x0800_0000 | 0x1000_0000 | 0x2000_0000 | 0x4000_0000 | 0x80

_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_ALLOW, _KILL, _ERROR = 0x7FFF0000, 0x80000000, 0x00050000


def program(machine: str | None = None) -> bytes:
    """The filter as classic BPF for `bwrap --seccomp FD`.

    Raises:
        SandboxUnavailable: no table for this kind of processor.
    """
    machine = machine or platform.machine()
    if machine not in _MACHINES:
        raise SandboxUnavailable(f"The sandbox knows x86_64 and aarch64 processors, not {machine}.")
    architecture, calls, clone = _MACHINES[machine]
    denied = sorted({*calls.values(), *_COMMON.values()})
    ops: list[tuple[int, int, int, int]] = [
        (_LOAD, 0, 0, 4),
        (_EQUAL, 1, 0, architecture),
        (_RETURN, 0, 0, _KILL),
        (_LOAD, 0, 0, 0),
    ]
    if machine == "x86_64":  # the x32 table has the same calls under other numbers
        ops += [(_AT_LEAST, 0, 1, 0x4000_0000), (_RETURN, 0, 0, _ERROR | errno.ENOSYS)]
    for number in denied:
        ops += [(_EQUAL, 0, 1, number), (_RETURN, 0, 0, _ERROR | errno.EPERM)]
    # clone3 hides its flags behind a pointer; without it glibc takes clone, whose flags can be read here.
    ops += [(_EQUAL, 0, 1, _CLONE3), (_RETURN, 0, 0, _ERROR | errno.ENOSYS)]
    ops += [
        (_EQUAL, 0, 3, clone),
        (_LOAD, 0, 0, 16),
        (_ANY_BIT, 0, 1, _NAMESPACES & ~0x80),
        (_RETURN, 0, 0, _ERROR | errno.EPERM),
    ]
    ops += [(_RETURN, 0, 0, _ALLOW)]
    return b"".join(struct.pack("=HBBI", *op) for op in ops)
