import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";

const NAME = /^proxy-[0-9a-f]{8}\.sock$/;

/** The kernel takes no longer address of a Unix socket. */
const MAX_PATH_BYTES = 107;

/** A path for the socket of a proxy. Throws if it is too long. */
export function proxySocketPath(folder: string, uuid: string): string {
  const path = join(folder, `proxy-${uuid.slice(0, 8)}.sock`);
  if (Buffer.byteLength(path) > MAX_PATH_BYTES)
    throw new Error(`the path ${path} is too long for a socket: its network needs a shorter state directory`);
  return path;
}

/** Removes the sockets that a killed gateway left in `folder`; returns how many. A missing folder has none. */
export async function removeProxySockets(folder: string): Promise<number> {
  const names = await readdir(folder).catch((error: unknown) => {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return [];
    throw error;
  });
  const left = names.filter((name) => NAME.test(name));
  for (const name of left) await rm(join(folder, name), { force: true });
  return left.length;
}
