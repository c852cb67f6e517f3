import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { AGENT, createNoteRig } from "../note-rig.ts";
import { SeededRandom } from "../recall/random.ts";

const KILLS = Number(process.env["FACTOTUM_MEMORY_KILLS"] ?? 5);
const NOTES = 12;

test("a rebuild that is killed at any moment leaves the whole index", { timeout: 30_000 + KILLS * 5_000 }, async () => {
  await using rig = await createNoteRig();
  for (let index = 0; index < NOTES; index += 1) await rig.put(`memory/${index}.md`, `boiler number${index}\n`.repeat(200));
  await rig.search("boiler");
  await rig.memory.close();
  const random = new SeededRandom(24);
  for (let kill = 0; kill < KILLS; kill += 1) {
    // During the first rebuild, while it takes its place, or in a later one.
    await killAfter(random.below(3 * NOTES), rig);
    using database = openReadOnly(join(rig.folder, "main.sqlite"));
    expect(database.database.prepare("PRAGMA integrity_check").get()).toEqual({ integrity_check: "ok" });
    const memory = rig.reopen();
    expect((await memory.index({ ...AGENT, rebuild: false })).changes).toEqual([]);
    const { hits, degraded } = await memory.search(
      { query: `number${kill % NOTES}`, maxResults: 1, minScore: 0, sources: ["notes"] },
      AGENT,
    );
    expect([degraded, hits[0]?.path]).toEqual([undefined, `memory/${kill % NOTES}.md`]);
    await memory.close();
  }
});

/** Has a process rebuild the index, and kills it after it has read this many notes. */
async function killAfter(reads: number, { folder, workspace }: { readonly folder: string; readonly workspace: string }): Promise<void> {
  const program = join(import.meta.dirname, "rebuild-forever.ts");
  const child = spawn(process.execPath, ["--conditions=factotum-source", program, folder, workspace], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  let seen = 0;
  let failure = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (failure += text));
  child.stdout.on("data", (dots: Buffer) => {
    seen += dots.length;
    if (seen > reads) child.kill("SIGKILL");
  });
  await once(child, "close");
  expect([child.signalCode, failure]).toEqual(["SIGKILL", ""]);
}

function openReadOnly(file: string): Disposable & { readonly database: DatabaseSync } {
  const database = new DatabaseSync(file);
  return { database, [Symbol.dispose]: () => database.close() };
}
