import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { JsonObject } from "@factotum/agent-contract";
import { expect, test } from "vitest";
import { createConfigService } from "./config-service.ts";

test("without a file the text is empty, and a first change makes one; a file that cannot be read has no text, and says why", async () => {
  const home = await mkdtemp(join(tmpdir(), "factotum-service-"));
  try {
    const env = { FACTOTUM_HOME: home, HOME: home };
    const service = createConfigService({ options: async () => ({ env, channels: [] }), hide: (text) => text });
    const empty = await service.view();
    expect(empty).toMatchObject({ source: "defaults", text: "", written: {}, problems: [] });
    const made = await service.patch({ baseHash: empty.baseHash, patch: { gateway: { port: 4711 } } });
    expect(made).toMatchObject({ type: "applied" });
    const first = await service.view();
    expect(first).toMatchObject({ source: "file", written: { gateway: { port: 4711 } } });
    await expect(service.patch({ baseHash: empty.baseHash, text: "{}" })).rejects.toMatchObject({ name: "RpcError", code: "conflict" });
    await expect(service.patch({ baseHash: first.baseHash, patch: { gateway: { port: "many" } } })).rejects.toMatchObject({
      code: "invalid-request",
      problems: [{ type: "invalid-value", path: "gateway.port", message: expect.not.stringContaining("gateway.port") as string }],
    });
    await rm(first.path);
    await mkdir(first.path);
    const broken = await service.view();
    expect(broken).not.toHaveProperty("text");
    expect(broken.problems).not.toEqual([]);
  } finally {
    await rm(home, { recursive: true, force: true });
  }
});

test("a file that is written while it is read is described as it is afterwards", async () => {
  const home = await mkdtemp(join(tmpdir(), "factotum-service-"));
  const write = async (port: number): Promise<void> =>
    writeFile(join(home, "factotum.json5"), JSON.stringify({ gateway: { port }, channels: { slow: {} } }));
  let loads = 0;
  // Its schema is loaded after the file was read.
  const load = async (): Promise<JsonObject> => {
    loads += 1;
    if (loads === 1) await write(2);
    return { type: "object", properties: {} };
  };
  try {
    await write(1);
    const options = { env: { FACTOTUM_HOME: home, HOME: home }, channels: [{ id: "slow", load }] };
    const view = await createConfigService({ options: async () => options, hide: (text) => text }).view();
    expect(view).toMatchObject({ written: { gateway: { port: 2 } }, text: expect.stringContaining('"port":2') as string });
  } finally {
    await rm(home, { recursive: true, force: true });
  }
});

test("a patch of too many keys or levels is refused before it is applied, and so is a text of too many levels", async () => {
  const home = await mkdtemp(join(tmpdir(), "factotum-service-"));
  try {
    const service = createConfigService({
      options: async () => ({ env: { FACTOTUM_HOME: home, HOME: home }, channels: [] }),
      hide: (text) => text,
    });
    const { baseHash } = await service.view();
    const nested = (levels: number): string => `${"[".repeat(levels)}${"]".repeat(levels)}`;
    const many = Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`key${index}`, index]));
    const refused = async (change: { readonly patch: Readonly<Record<string, unknown>> } | { readonly text: string }, said: string) =>
      expect(service.patch({ baseHash, dryRun: true, ...change })).rejects.toMatchObject({
        code: "invalid-request",
        message: expect.stringContaining(said) as string,
      });
    await refused({ patch: many }, "whole text");
    await refused({ patch: { gateway: { x: many } } }, "whole text");
    await refused({ patch: { gateway: JSON.parse(nested(3000)) as unknown } }, "32 times at most");
    await refused({ text: `{ gateway: ${nested(3000)} }` }, "more than 200 times");
    await refused({ text: `{ gateway: ${nested(100_000)} }` }, "more than 200 times");
  } finally {
    await rm(home, { recursive: true, force: true });
  }
});
