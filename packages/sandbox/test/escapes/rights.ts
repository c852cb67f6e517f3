import { CALLS, call, does, python, works } from "./escape-attempt.ts";
import type { EscapeAttempt } from "./escape-attempt.ts";

/** Attempts to gain rights, and to reach what the kernel does not separate. */
export const RIGHT_ESCAPES: readonly EscapeAttempt[] = [
  {
    name: "becomes root by a set-user-id program",
    onHost: "root",
    attempt: () => "su root -c 'id -u' </dev/null 2>/dev/null | grep -qx 0 && echo ESCAPED",
    allowed: () => "[ $(id -u) = 1000 ] && echo works",
    // A gateway that is root has a container of root, without its rights.
    inContainer: {
      attempt: () => "su nobody -s /bin/sh -c 'echo ESC''APED' </dev/null 2>/dev/null",
      allowed: () => `[ $(id -u) = ${process.getuid?.() ?? 0} ] && echo works`,
    },
  },
  {
    name: "becomes another user",
    onHost: "root",
    attempt: () => python("os.setuid(1234)", `print("ESCAPED")`),
    allowed: () => python("os.setuid(os.getuid())", `print("works")`),
  },
  {
    name: "has capabilities",
    onHost: "root",
    attempt: () => "grep -qE '^Cap(Eff|Prm|Bnd|Amb):.*[1-9a-f]' /proc/self/status && echo ESCAPED",
    allowed: () => "grep -q '^NoNewPrivs:.*1' /proc/self/status && echo works",
  },
  {
    name: "mounts a file system",
    onHost: "untried",
    attempt: () => does("mount -t tmpfs none /tmp"),
    allowed: () => "grep -q ' /tmp ' /proc/self/mounts && echo works",
  },
  {
    name: "mounts by a system call",
    onHost: "untried",
    attempt: () => call(CALLS.mount, "None", `b"/usr"`, "None", 4096 + 32, "None"),
    allowed: () => works,
  },
  {
    name: "unmounts what covers the system",
    onHost: "untried",
    attempt: () => does("umount /proc || umount /tmp || umount -l /usr"),
    allowed: () => "df /tmp >/dev/null && echo works",
  },
  {
    name: "changes its root",
    onHost: "root",
    attempt: () => python(`os.chroot("/tmp")`, `print("ESCAPED")`),
    allowed: () => python(`os.chdir("/tmp")`, `print("works")`),
  },
  {
    name: "makes a user namespace",
    onHost: "everyone",
    attempt: () => does("unshare --user --map-root-user true"),
    allowed: () => "sh -c 'echo works'",
  },
  {
    name: "makes a user namespace by a system call",
    onHost: "everyone",
    attempt: () => call(CALLS.unshare, 0x10000000),
    allowed: () => works,
  },
  {
    name: "makes a user namespace with a new process",
    onHost: "everyone",
    attempt: () => call(CALLS.clone, 0x10000000 + 17, 0, 0, 0, 0),
    allowed: () => python("pid = os.fork()", "if pid == 0: os._exit(0)", "os.waitpid(pid, 0)", `print("works")`),
  },
  {
    name: "writes settings of the kernel",
    onHost: "untried",
    attempt: () => does('now=$(cat /proc/sys/kernel/core_pattern) && printf %s "$now" >/proc/sys/kernel/core_pattern'),
    allowed: () => "cat /proc/sys/kernel/ostype >/dev/null && echo works",
  },
  { name: "reads kernel keys", onHost: "everyone", attempt: () => call(CALLS.keyctl, 0, -3, 1), allowed: () => works },
  {
    name: "loads a program into the kernel",
    onHost: "root",
    attempt: () =>
      call(CALLS.bpf, 0, 'ctypes.byref(ctypes.create_string_buffer(b"\\x02\\0\\0\\0\\x04\\0\\0\\0\\x04\\0\\0\\0\\x01", 72))', 72),
    allowed: () => works,
  },
  { name: "handles page faults of the kernel", onHost: "root", attempt: () => call(CALLS.userfaultfd, 0), allowed: () => works },
  { name: "uses io_uring", onHost: "untried", attempt: () => call(425, 1, "buffer"), allowed: () => works },
  {
    name: "types into a terminal",
    onHost: "root",
    attempt: () => python("import fcntl", "leader, follower = os.openpty()", `fcntl.ioctl(follower, 0x5412, b"x")`, `print("ESCAPED")`),
    allowed: () => python("leader, follower = os.openpty()", `if os.isatty(follower): print("works")`),
  },
];
