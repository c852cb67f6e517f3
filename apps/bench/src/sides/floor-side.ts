import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { startChild } from "./child.ts";
import type { Side } from "./side.ts";

/** The floor, listening. */
export interface Floor extends Side, AsyncDisposable {}

/** Starts the floor on an empty database. */
export async function startFloor(providerUrl: string): Promise<Floor> {
  const folder = await mkdtemp(path.join(tmpdir(), "factotum-floor-"));
  const child = await startChild("floor.ts", [folder, providerUrl]);
  return {
    name: "the floor",
    url: child.url,
    pid: child.pid,
    headers: () => ({}),
    model: "floor",
    [Symbol.asyncDispose]: async () => {
      await child[Symbol.asyncDispose]();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
