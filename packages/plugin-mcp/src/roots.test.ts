import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { callTool, openScene, textOf } from "../test/scene.ts";

test("a server learns the workspace that it works in where it is set so, and nothing otherwise", { timeout: 60_000 }, async () => {
  await using scene = await openScene();
  const plain = await scene.listed(scene.settings());
  expect(textOf(await callTool(plain, "mcp__raw_roots", {}, scene))).toBe("no roots");
  const rooted = await scene.listed(scene.settings({ roots: "workspace" }));
  expect(JSON.parse(textOf(await callTool(rooted, "mcp__raw_roots", {}, scene)))).toEqual({
    roots: [{ uri: pathToFileURL(scene.folder).href, name: "workspace" }],
  });
  const apart = await scene.listed(scene.settings({ roots: "workspace", sandbox: { mode: "on", network: "none", workspace: "none" } }));
  const own = JSON.parse(textOf(await callTool(apart, "mcp__raw_roots", {}, scene))) as {
    readonly roots: readonly { readonly uri: string }[];
  };
  expect(own.roots[0]?.uri).toMatch(new RegExp(`^${pathToFileURL(scene.folder).href}/[0-9a-f]{16}$`));
});
