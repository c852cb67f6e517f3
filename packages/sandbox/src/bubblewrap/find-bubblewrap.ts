import { randomUUID } from "node:crypto";
import { lstat, mkdir, readlink, rename, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { BubblewrapHost, SystemFolder } from "./bubblewrap-request.ts";
import { seccompFilter } from "./seccomp-filter.ts";

/** System folders of Linux distributions; those that a machine lacks are left out. */
const SYSTEM_FOLDERS = ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store"];

/** Files that name users and hosts, in place of the host's. */
const REPLACED: Readonly<Record<string, string>> = {
  "/etc/passwd":
    "root:x:0:0:root:/:/usr/sbin/nologin\nsandbox:x:1000:1000:sandbox:/tmp:/bin/sh\nnobody:x:65534:65534:nobody:/:/usr/sbin/nologin\n",
  "/etc/group": "root:x:0:\nsandbox:x:1000:\nnogroup:x:65534:\n",
  "/etc/hosts": "127.0.0.1 localhost\n::1 localhost\n127.0.0.1 sandbox\n",
  "/etc/nsswitch.conf": "passwd: files\ngroup: files\nhosts: files\n",
};

/** Collects what bubblewrap needs of this machine, and writes its files into `folder`. Rejects if they cannot be written. */
export async function describeBubblewrapHost(
  program: string,
  { folder, architecture }: { readonly folder: string; readonly architecture: "x64" | "arm64" },
): Promise<BubblewrapHost> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const seccompFile = join(folder, "seccomp.bpf");
  await replace(seccompFile, seccompFilter(architecture));
  const replaced = await Promise.all(
    Object.entries(REPLACED).map(async ([path, text]): Promise<[string, string]> => {
      const file = join(folder, path.slice("/etc/".length));
      await replace(file, text);
      return [path, file];
    }),
  );
  const found = await Promise.all(SYSTEM_FOLDERS.map(systemFolder));
  return { program, seccompFile, replacedFiles: Object.fromEntries(replaced), systemFolders: found.filter((one) => one !== undefined) };
}

/** Commands that run meanwhile read the old file or the new one. The name is that of temporary files which the gateway's next start removes. */
async function replace(file: string, data: string | Buffer): Promise<void> {
  const temporary = join(dirname(file), `.factotum-${process.pid}-${randomUUID()}.tmp`);
  await writeFile(temporary, data, { mode: 0o600 });
  await rename(temporary, file);
}

async function systemFolder(path: string): Promise<SystemFolder | undefined> {
  const stats = await lstat(path).catch((error: unknown) => {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  });
  if (stats === undefined) return undefined;
  return stats.isSymbolicLink() ? { path, linkTo: await readlink(path) } : { path };
}
