import { fileURLToPath } from "node:url";
import { expect, test, vi } from "vitest";
import { callTool, openScene, textOf, toolOf } from "../test/scene.ts";

const SERVER = fileURLToPath(new URL("../test/sdk-server.ts", import.meta.url));

test("a local server of the newest revision needs one process, and its list is taken up when it changes", { timeout: 60_000 }, async () => {
  await using scene = await openScene();
  const source = await scene.listed(scene.settings({ args: [SERVER] }));
  expect(source.problem).toBeUndefined();
  expect(scene.starts()).toBe(1);
  expect(textOf(await callTool(source, "mcp__raw_grow", {}, scene))).toBe("grown");
  await vi.waitFor(() => expect(source.tools.map(({ name }) => name)).toContain("mcp__raw_added_1"), { timeout: 20_000 });
  scene.clock.fire(600_000);
  await vi.waitFor(() => expect(scene.runner.groups.size).toBe(0));
  // The remembered verdict: no question for the revision, and the change is still told.
  await callTool(source, "mcp__raw_grow", {}, scene);
  expect(scene.starts()).toBe(2);
  await vi.waitFor(() => expect(source.tools.map(({ name }) => name)).toContain("mcp__raw_added_1"), { timeout: 20_000 });
});

test("resources are reached by two tools, which the filter can leave out", { timeout: 60_000 }, async () => {
  await using scene = await openScene();
  const source = await scene.listed(scene.settings({ args: [SERVER], trusted: true }));
  expect(toolOf(source, "mcp__raw_read_resource").traits).toMatchObject({ effect: "read", network: true });
  expect(textOf(await callTool(source, "mcp__raw_list_resources", {}, scene))).toBe("note://1 (first: A note., text/plain)");
  expect(textOf(await callTool(source, "mcp__raw_read_resource", { uri: "note://1" }, scene))).toBe(
    "[resource note://1]\nwords of the note",
  );
  expect(textOf(await callTool(source, "mcp__raw_read_resource", {}, scene))).toContain("uri is needed");
  const filtered = await scene.listed(scene.settings({ args: [SERVER], toolFilter: ["grow"] }));
  expect(filtered.tools.map(({ name }) => name)).toEqual(["mcp__raw_grow"]);
  const raw = await scene.listed(scene.settings());
  expect(raw.tools.map(({ name }) => name)).not.toContain("mcp__raw_list_resources");
});
