import type { CommandRequest } from "@factotum/agent-contract";
import { CHILD_VARIABLE } from "../host/child-family.ts";
import { NODE_IN_SANDBOX, SOCKET_IN_SANDBOX, withForwarder } from "../network/forwarder.ts";
import { innerCommand, outerRequest } from "../sandbox/inner-command.ts";
import type { PlannedMount, SandboxPlan } from "../sandbox/sandbox-spec.ts";
import { quoteWord, quoteWords } from "../sandbox/shell-words.ts";

/** A system folder of the host: a folder, or a symbolic link such as `/bin` to `usr/bin`. */
export type SystemFolder = { readonly path: string; readonly linkTo?: string };

/** What bubblewrap needs of this machine. */
export interface BubblewrapHost {
  /** Absolute path of `bwrap`. */
  readonly program: string;
  readonly systemFolders: readonly SystemFolder[];
  /** A file with the seccomp program. */
  readonly seccompFile: string;
  /** Files that are shown in place of the host's, by their path in the sandbox. */
  readonly replacedFiles: Readonly<Record<string, string>>;
}

/** Files of `/etc` that programs need and that hold no secrets; missing ones are left out. Everything else of `/etc` does not exist. */
const ETC = [
  "/etc/alternatives",
  "/etc/ca-certificates",
  "/etc/crypto-policies",
  "/etc/fonts",
  "/etc/java-17-openjdk",
  "/etc/java-21-openjdk",
  "/etc/ld.so.cache",
  "/etc/ld.so.conf",
  "/etc/ld.so.conf.d",
  "/etc/localtime",
  "/etc/magic",
  "/etc/mime.types",
  "/etc/nanorc",
  "/etc/os-release",
  "/etc/perl",
  "/etc/pki/ca-trust",
  "/etc/pki/tls/certs",
  "/etc/protocols",
  "/etc/python3",
  "/etc/services",
  "/etc/ssl/cert.pem",
  "/etc/ssl/certs",
  "/etc/ssl/openssl.cnf",
  "/etc/terminfo",
  "/etc/timezone",
];

/** User and group of commands in the sandbox; on the host they are the gateway's. */
const SANDBOX_ID = "1000";

/** The descriptor that the seccomp program is passed with. */
const SECCOMP_FD = 9;

/** Commands see the environment of bubblewrap in `/proc/1/environ`: it gets the variable alone by which the processes of a command are found. */
const START = `env -i ${CHILD_VARIABLE}="$${CHILD_VARIABLE}"`;

/**
 * Rewrites a request so that it runs in a bubblewrap sandbox: namespaces of its own (user, processes, messages, host name, network, cgroup), a read-only root of
 * the system folders, `/proc` of its own processes, a minimal `/dev`, empty folders in memory for `/tmp` and HOME, no capabilities, no terminal, an environment
 * built from nothing. Its network has a loopback of its own, and the socket of a proxy if the plan has one. It ends with the process that started it. Pure. The result is shell text for the host's runner, so that its groups, limits and caps apply.
 */
export function bubblewrapRequest(request: CommandRequest, plan: SandboxPlan, host: BubblewrapHost): CommandRequest {
  const words = [host.program, ...isolation(host), ...mounts(plan, host), ...variables(request, plan), "--chdir", request.cwd, "--"];
  const inner = innerCommand(request, plan.maxTasks);
  const command = `exec ${START} ${quoteWords([...words, ...(plan.network === undefined ? inner : withForwarder(inner))])} ${SECCOMP_FD}<${quoteWord(host.seccompFile)}`;
  return outerRequest(request, command);
}

function isolation({ systemFolders }: BubblewrapHost): readonly string[] {
  return [
    "--unshare-user",
    "--unshare-pid",
    "--unshare-ipc",
    "--unshare-uts",
    "--unshare-net",
    "--unshare-cgroup-try",
    "--uid",
    SANDBOX_ID,
    "--gid",
    SANDBOX_ID,
    "--cap-drop",
    "ALL",
    "--hostname",
    "sandbox",
    "--die-with-parent",
    "--new-session",
    "--seccomp",
    String(SECCOMP_FD),
    ...systemFolders.flatMap(({ path, linkTo }) => (linkTo === undefined ? ["--ro-bind", path, path] : ["--symlink", linkTo, path])),
  ];
}

function mounts({ mounts: planned, home, maxMemoryBytes, network }: SandboxPlan, { replacedFiles }: BubblewrapHost): readonly string[] {
  const inMemory = (path: string): readonly string[] => ["--size", String(maxMemoryBytes), "--tmpfs", path];
  return [
    ...ETC.flatMap((path) => ["--ro-bind-try", path, path]),
    ...Object.entries(replacedFiles).flatMap(([path, file]) => ["--ro-bind", file, path]),
    // Settings of the kernel belong to root; a gateway that is root could write them from its sandbox.
    "--proc",
    "/proc",
    "--remount-ro",
    "/proc",
    "--dev",
    "/dev",
    ...inMemory("/dev/shm"),
    "--remount-ro",
    "/dev",
    ...inMemory("/tmp"),
    "--dir",
    "/var",
    "--symlink",
    "/tmp",
    "/var/tmp",
    "--dir",
    "/run",
    ...(home === "/tmp" ? [] : inMemory(home)),
    ...planned.flatMap(mount),
    ...(network?.type === "socket" ? ["--ro-bind", network.node, NODE_IN_SANDBOX, "--ro-bind", network.socket, SOCKET_IN_SANDBOX] : []),
    // The last one: it closes the folders that were made for the others.
    "--remount-ro",
    "/",
  ];
}

function mount({ type, path }: PlannedMount): readonly string[] {
  switch (type) {
    case "read-only":
      return ["--ro-bind", path, path];
    case "writable":
      return ["--bind", path, path];
    case "empty-folder":
      return ["--size", "65536", "--tmpfs", path];
    case "empty-file":
      return ["--ro-bind", "/dev/null", path];
  }
}

function variables({ env }: CommandRequest, { environment, home }: SandboxPlan): readonly string[] {
  const all = { ...environment, HOME: home, TMPDIR: "/tmp", ...env };
  return ["--clearenv", ...Object.entries(all).flatMap(([name, value]) => ["--setenv", name, value])];
}
