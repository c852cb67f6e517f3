import { randomBytes } from "node:crypto";
import { link, readFile, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { temporaryPath, writePrivateFile } from "./atomic-file.ts";
import { makeFolder } from "./make-folder.ts";
import type { StatePaths } from "./state-paths.ts";

/** Minimum length of a token once other machines can reach the gateway. */
export const MIN_EXPOSED_TOKEN_LENGTH = 24;

/** The token of an earlier start; `undefined` if there is none. */
export async function readGatewayToken({ gatewayTokenFile }: StatePaths): Promise<string | undefined> {
  try {
    const token = (await readFile(gatewayTokenFile, "utf8")).trim();
    return token === "" ? undefined : token;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

/** The token of this installation; created on first use (256 random bits, mode 600). Two concurrent starts get the same one. */
export async function ensureGatewayToken(paths: StatePaths): Promise<string> {
  const existing = await readGatewayToken(paths);
  if (existing !== undefined) return existing;
  const token = newToken();
  const file = paths.gatewayTokenFile;
  await makeFolder(dirname(file));
  const own = temporaryPath(dirname(file));
  await writePrivateFile(own, `${token}\n`);
  try {
    await link(own, file);
    return token;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    const other = await readGatewayToken(paths);
    if (other !== undefined) return other;
    // An empty file, left by a full disk: it is not a token, so remove it.
    await writePrivateFile(file, `${token}\n`);
    return token;
  } finally {
    await rm(own, { force: true });
  }
}

/** Replaces the token in the file by a new one. */
export async function replaceGatewayToken({ gatewayTokenFile }: StatePaths): Promise<string> {
  const token = newToken();
  await writePrivateFile(gatewayTokenFile, `${token}\n`);
  return token;
}

function newToken(): string {
  return randomBytes(32).toString("base64url");
}
