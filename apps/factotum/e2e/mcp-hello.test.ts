import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { JsonObject } from "@factotum/testing-providers";
import { expect, test } from "vitest";
import { LIST_SERVER, localServer, rememberedTools, serverProgram, startMcpScene } from "./mcp-scene.ts";

interface First {
  readonly bytes: number;
  readonly tools: readonly string[];
  readonly remembered: readonly object[];
}

/** The first request of an installation with these servers. */
async function hello(servers: JsonObject): Promise<First> {
  await using scene = await startMcpScene(servers);
  await scene.use();
  const [request] = scene.model.requests;
  const tools = (request?.body?.["tools"] ?? []) as unknown as readonly { readonly name: string }[];
  return {
    bytes: request?.bytes.length ?? 0,
    tools: tools.map(({ name }) => name),
    remembered: Object.keys(servers).length === 0 ? [] : await rememberedTools(scene.product.home),
  };
}

test("`hello` keeps its size with 0, 10, 100 and 500 MCP tools", { timeout: 300_000 }, async () => {
  const folder = await mkdtemp(join(tmpdir(), "factotum-mcp-hello-"));
  const none = await hello({});
  expect(none.bytes).toBeLessThanOrEqual(20_000);

  const files = localServer(serverProgram("filesystem"), [folder]);
  const everything = localServer(serverProgram("everything"));
  const ten = await hello({ files: { ...files, toolFilter: ["*file*", "list_*", "directory_tree", "search_files", "move_file"] } });
  expect(ten.bytes).toBeLessThanOrEqual(28_000);

  const real = await hello({ files, everything });
  const count = real.remembered.length;
  expect(count).toBeGreaterThanOrEqual(25);
  const median = real.remembered.toSorted((one, other) => JSON.stringify(one).length - JSON.stringify(other).length)[Math.floor(count / 2)];
  for (const total of [100, 500]) {
    const list = join(folder, `${total}.json`);
    await writeFile(list, JSON.stringify(Array.from({ length: total - count }, (_, index) => ({ ...median, name: `tool_${index}` }))));
    const many = await hello({ files, everything, rest: localServer(LIST_SERVER, [list]) });
    expect(many.remembered).toHaveLength(total);
    expect(many.tools.filter((name) => name.startsWith("mcp__"))).toEqual([]);
    expect(many.tools).toEqual(expect.arrayContaining(["tool_search", "tool_call"]));
    expect(many.bytes).toBeLessThanOrEqual(30_000);
  }
});
