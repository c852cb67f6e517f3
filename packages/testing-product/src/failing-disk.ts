import { execFileSync } from "node:child_process";
import { accessSync, constants, mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { rm, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";

/** A disk of 96 MB in a file, that can be made to fail. Disposing it unmounts and removes it. */
export interface FailingDisk extends AsyncDisposable {
  readonly folder: string;
  /** Makes the file system fail: from now on it is read-only, even for files that are open for writing. */
  fail(): void;
  /** Mounts it again, writable. No process may use it. */
  repair(): void;
}

/** Whether this process may mount such a disk and make it fail. If not, reports that `what` was not run. */
export function canMountFailingDisk(what: string): boolean {
  const reason = whyNot();
  if (reason !== undefined) process.stderr.write(`NOT RUN: ${what}. ${reason}\n`);
  return reason === undefined;
}

function whyNot(): string | undefined {
  if (process.platform !== "linux" || process.getuid?.() !== 0) return "It needs Linux and root, to mount a disk that fails.";
  try {
    accessSync("/sys/fs/ext4", constants.W_OK);
    run("mkfs.ext4", "-V");
    run("losetup", "--find");
    return undefined;
  } catch (error) {
    return `It needs loop devices, the file system ext4 and its tools (${error instanceof Error ? error.message.split("\n")[0] : "they do not answer"}).`;
  }
}

/** Creates the disk and mounts it. */
export async function mountFailingDisk(): Promise<FailingDisk> {
  const root = mkdtempSync(path.join(tmpdir(), "factotum-failing-"));
  const [image, folder] = [path.join(root, "disk.img"), path.join(root, "disk")];
  await writeFile(image, "");
  await truncate(image, 96 * 1024 ** 2);
  run("mkfs.ext4", "-q", "-F", image);
  mkdirSync(folder, { mode: 0o700 });
  const device = run("losetup", "--find", "--show", image);
  const mount = (): string => run("mount", "-o", "errors=remount-ro", device, folder);
  try {
    mount();
  } catch (error) {
    run("losetup", "--detach", device);
    throw error;
  }
  return {
    folder,
    fail: () => writeFileSync(`/sys/fs/ext4/${path.basename(device)}/trigger_fs_error`, "a fault that was asked for"),
    repair: () => {
      run("umount", folder);
      mount();
    },
    [Symbol.asyncDispose]: async () => {
      run("umount", "-l", folder);
      run("losetup", "--detach", device);
      await rm(root, { recursive: true, force: true });
    },
  };
}

function run(command: string, ...args: readonly string[]): string {
  return execFileSync(command, args, {
    stdio: ["ignore", "pipe", "pipe"],
    encoding: "utf8",
    env: { ...process.env, PATH: `${process.env["PATH"] ?? ""}:/usr/sbin:/sbin` },
  }).trim();
}
