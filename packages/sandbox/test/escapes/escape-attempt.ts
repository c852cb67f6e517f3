import { statSync } from "node:fs";
import { CANARY } from "../sandbox-scene.ts";
import type { SandboxScene } from "../sandbox-scene.ts";

/** An attempt to leave the sandbox, which prints ESCAPED if it succeeds, and a similar command that must print `works` in it. */
export interface EscapeAttempt {
  readonly name: string;
  /** Whether the attempt succeeds on the host, which shows that it is one: for everyone, for root, or not tried there because it would do harm. */
  readonly onHost: "everyone" | "root" | "untried";
  readonly attempt: (scene: SandboxScene) => string;
  readonly allowed: (scene: SandboxScene) => string;
  /** What stands for them in a container, whose root is an image with files of its own. */
  readonly inContainer?: Partial<Pick<EscapeAttempt, "attempt" | "allowed">>;
}

/** Prints ESCAPED if the path is the same file as on the host. */
export const isOfHost = (path: string): string => {
  const { dev, ino } = statSync(path);
  return `[ "$(stat -c %d:%i ${path})" = ${dev}:${ino} ] && echo ESCAPED`;
};

/** Without the errors: a traceback shows the program itself. */
export const python = (...lines: readonly string[]): string =>
  `/usr/bin/python3 -c '${["import ctypes, os, socket", ...lines].join("\n")}' 2>/dev/null`;

/** Numbers of system calls by architecture. */
export const CALLS = {
  x64: { getpid: 39, clone: 56, mount: 165, keyctl: 250, bpf: 321, unshare: 272, userfaultfd: 323 },
  arm64: { getpid: 172, clone: 220, mount: 40, keyctl: 219, bpf: 280, unshare: 97, userfaultfd: 282 },
}[process.arch === "arm64" ? "arm64" : "x64"];

export const LIBC = "libc = ctypes.CDLL(None, use_errno=True)";

/** Prints ESCAPED if the system call succeeds. */
export const call = (number: number, ...args: readonly (number | string)[]): string =>
  python(
    LIBC,
    `buffer = ctypes.create_string_buffer(256)`,
    `result = libc.syscall(${[number, ...args].join(", ")})`,
    `if result >= 0: print("ESCAPED")`,
  );
export const works = python(LIBC, `if libc.syscall(${CALLS.getpid}) == os.getpid(): print("works")`);

/** Prints ESCAPED if the file can be read and holds the canary. */
export const reads = (path: string): string => `grep -aqs ${CANARY} ${path} && echo ESCAPED`;
export const does = (command: string): string => `{ ${command}; } >/dev/null 2>&1 && echo ESCAPED`;
export const connects = (family: string, address: string): string =>
  python(
    `peer = socket.socket(${family}, socket.SOCK_STREAM)`,
    "peer.settimeout(3)",
    `peer.connect(${address})`,
    `if b"${CANARY}" in peer.recv(100): print("ESCAPED")`,
  );
export const makesSocket = (...args: readonly string[]): string => python(`socket.socket(${args.join(", ")})`, `print("ESCAPED")`);
/** A server and a client in the same sandbox. */
export const talksInside = (family: string, address: string): string =>
  python(
    `server = socket.socket(${family}, socket.SOCK_STREAM)`,
    `server.bind(${address})`,
    "server.listen(1)",
    `client = socket.socket(${family}, socket.SOCK_STREAM)`,
    "client.connect(server.getsockname())",
    `server.accept()[0].send(b"works")`,
    "print(client.recv(10).decode())",
  );
