import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createConfigDesk } from "./config-desk.ts";

test("without a file the text is empty, and a first change makes one; a file that cannot be read has no text, and says why", async () => {
  const home = await mkdtemp(join(tmpdir(), "factotum-desk-"));
  try {
    const env = { FACTOTUM_HOME: home, HOME: home };
    const desk = createConfigDesk({ options: async () => ({ env, channels: [] }), hide: (text) => text });
    const empty = await desk.view();
    expect(empty).toMatchObject({ source: "defaults", text: "", written: {}, problems: [] });
    const made = await desk.patch({ baseHash: empty.baseHash, patch: { gateway: { port: 4711 } } });
    expect(made).toMatchObject({ type: "done", result: { type: "applied" } });
    const first = await desk.view();
    expect(first).toMatchObject({ source: "file", written: { gateway: { port: 4711 } } });
    expect(await desk.patch({ baseHash: empty.baseHash, text: "{}" })).toMatchObject({ type: "conflict" });
    await rm(first.path);
    await mkdir(first.path);
    const broken = await desk.view();
    expect(broken).not.toHaveProperty("text");
    expect(broken.problems).not.toEqual([]);
  } finally {
    await rm(home, { recursive: true, force: true });
  }
});
