import { withoutUndefined } from "@factotum/agent-contract";
import { open, stat } from "node:fs/promises";
import { resolve } from "node:path";
import { SkillInstallError } from "./install-error.ts";

/** Where a skill is installed from. */
export type SkillInstallSource =
  | { readonly type: "folder"; readonly path: string }
  | { readonly type: "tar"; readonly path: string; readonly isCompressed: boolean }
  | { readonly type: "zip"; readonly path: string }
  | { readonly type: "git"; readonly url: string; readonly ref?: string };

const GIT_URL = /^(?:git\+)?((?:https?|ssh|git|file):\/\/.+)$/;
/** `git@host:owner/repository`. */
const SCP_LIKE = /^[\w.-]+@[\w.-]+:.+$/;
const GITHUB = /^github:([\w.-]+\/[\w.-]+)$/;
const MAGIC_BYTES = 264;

/**
 * Decides what a written source is: a folder, an archive (by its first bytes, not by its name), or a git repository with an optional `#branch`. Rejects with a
 * SkillInstallError for anything else. Nothing is fetched.
 */
export async function parseSkillSource(written: string, { folder }: { readonly folder: string }): Promise<SkillInstallSource> {
  const [address = "", ref] = written.split("#", 2);
  const url = GITHUB.exec(address)?.[1];
  const remote =
    url === undefined ? (GIT_URL.exec(address)?.[1] ?? (SCP_LIKE.test(address) ? address : undefined)) : `https://github.com/${url}.git`;
  if (remote !== undefined) {
    if (ref?.startsWith("-") === true || ref === "") throw invalid(`${JSON.stringify(written)} names no branch after the #.`);
    return { type: "git", url: remote, ...withoutUndefined({ ref }) };
  }
  const path = resolve(folder, written);
  const quoted = JSON.stringify(written);
  const stats = await stat(path).catch((error: unknown) => {
    throw invalid(`${quoted} is neither a file or folder of this machine nor the address of a git repository.`, error);
  });
  if (stats.isDirectory()) return { type: "folder", path };
  if (!stats.isFile()) throw invalid(`${quoted} is neither a folder nor an archive.`);
  const head = await headOf(path);
  if (head.subarray(0, 4).toString("latin1") === "PK\u0003\u0004") return { type: "zip", path };
  if (head[0] === 0x1f && head[1] === 0x8b) return { type: "tar", path, isCompressed: true };
  if (head.subarray(257, 262).toString("latin1") === "ustar") return { type: "tar", path, isCompressed: false };
  throw invalid(`${quoted} is no archive that can be read: neither zip nor tar nor tar.gz.`);
}

async function headOf(path: string): Promise<Buffer> {
  await using file = await open(path, "r");
  const { buffer, bytesRead } = await file.read(Buffer.alloc(MAGIC_BYTES), 0, MAGIC_BYTES, 0);
  return buffer.subarray(0, bytesRead);
}

function invalid(message: string, cause?: unknown): SkillInstallError {
  return new SkillInstallError(message, {
    fix: "Give a folder, a .zip, .tar or .tar.gz file, or an address such as https://example.com/skills.git#main.",
    ...withoutUndefined({ cause }),
  });
}
