import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** Podman's own list of allowed system calls, the administrator's first. */
const PROFILES = ["/etc/containers/seccomp.json", "/usr/share/containers/seccomp.json"];

/** Calls that no sandbox has, as in bubblewrap: kernel keys, BPF, page faults, io_uring, mounts, namespaces. Podman allows some for containers in containers. */
const REFUSED: ReadonlySet<string> = new Set(
  [
    "add_key request_key keyctl bpf perf_event_open userfaultfd io_uring_setup io_uring_enter io_uring_register",
    "mount umount umount2 pivot_root open_tree move_mount fsopen fsconfig fsmount fspick mount_setattr",
    "unshare setns kexec_load kexec_file_load",
    // It hides its flags from filters; programs fall back to `clone`.
    "clone3",
  ].flatMap((names) => names.split(" ")),
);

/** Unix, IPv4, IPv6 and netlink: others are not separated by network namespaces. */
const SOCKETS = [1, 2, 10, 16];

/** `CLONE_NEW…`. */
const NAMESPACES = 0x7e020000;

interface Rule {
  readonly names: readonly string[];
  readonly action: string;
}

/** Podman's profile without the calls that sandboxes refuse. Throws for a text that is not a profile. */
export function podmanProfile(text: string): string {
  const profile: unknown = JSON.parse(text);
  if (typeof profile !== "object" || profile === null || !("syscalls" in profile) || !Array.isArray(profile.syscalls))
    throw new Error("it is no list of system calls");
  const withArguments = new Set(["clone", "socket"]);
  const kept = (profile.syscalls as readonly Rule[])
    .map((rule) => ({ ...rule, names: rule.names.filter((name) => !REFUSED.has(name) && !withArguments.has(name)) }))
    .filter(({ names }) => names.length > 0);
  const allow = (name: string, argument: object): object => ({
    names: [name],
    action: "SCMP_ACT_ALLOW",
    args: [{ index: 0, ...argument }],
  });
  return JSON.stringify({
    ...profile,
    syscalls: [
      ...kept,
      allow("clone", { value: NAMESPACES, valueTwo: 0, op: "SCMP_CMP_MASKED_EQ" }),
      ...SOCKETS.map((family) => allow("socket", { value: family, op: "SCMP_CMP_EQ" })),
    ],
  });
}

/** Writes that profile into `folder`, and returns its path; `undefined` where Podman has none. Rejects if its own cannot be read. */
export async function writePodmanProfile(folder: string): Promise<string | undefined> {
  for (const path of PROFILES) {
    const text = await readFile(path, "utf8").catch((error: unknown) => {
      if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
      throw error;
    });
    if (text === undefined) continue;
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const file = join(folder, "podman-seccomp.json");
    await writeFile(file, podmanProfile(text), { mode: 0o600 });
    return file;
  }
  return undefined;
}
