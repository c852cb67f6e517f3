import { writeSync } from "node:fs";
import process from "node:process";
import { NoteMemory } from "../../src/index.ts";

/** Rebuilds the index of the folders in its arguments until it is killed. Writes a dot for each note that it has read. */
const [folder = "", workspace = ""] = process.argv.slice(2);
const memory = new NoteMemory({
  folder,
  placesOf: () => ({ workspace, extraPaths: [] }),
  isUntrusted: async () => {
    writeSync(1, ".");
    return Promise.resolve(false);
  },
  clock: {
    now: () => Date.now(),
    monotonic: () => performance.now(),
    schedule: (delayMs, callback) => {
      const timer = setTimeout(callback, delayMs);
      return { [Symbol.dispose]: () => clearTimeout(timer) };
    },
  },
  logger: { debug: ignore, info: ignore, warn: ignore, error: ignore, child: () => raise() },
});
for (;;) await memory.index({ agentId: "main", rebuild: true, signal: new AbortController().signal });

function ignore(): void {}

function raise(): never {
  throw new Error("no part of the memory has a logger of its own");
}
