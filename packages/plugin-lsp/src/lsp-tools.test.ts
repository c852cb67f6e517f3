import { describe, expect, test, vi } from "vitest";
import { callTool, openScene, textOf, toolOf, type Scene } from "../test/scene.ts";

vi.setConfig({ testTimeout: 60_000 });

const SHAPES = "def Shape\r\n  def area\r\ndef Circle\r\n  def area\r\n😀 use Shape é Shape\r\n";

async function sceneWith(
  modes: string,
): Promise<{ readonly scene: Scene; readonly call: (name: string, given: object) => Promise<string> }> {
  const scene = await openScene();
  await scene.write("a.fake", SHAPES);
  await scene.write("b.fake", "use Shape\n");
  const source = await scene.source(scene.fake(modes));
  return { scene, call: async (name, given) => textOf(await callTool(source, `lsp_${name}_fake`, { ...given }, scene)) };
}

describe.each([["utf-16"], ["utf-8"]])("with %s positions, tools", (encoding) => {
  test("find symbols by name path, by line and by column, and show where they are", async () => {
    const { scene, call } = await sceneWith(encoding);
    await using _scene = scene;
    expect(await call("definition", { path: "a.fake", symbol: "Circle/area" })).toBe("a.fake:2:7: def area\na.fake:4:7: def area");
    expect(await call("definition", { path: "b.fake", symbol: "Shape" })).toBe("a.fake:1:5: def Shape");
    expect(await call("hover", { path: "a.fake", line: 5, column: 16 })).toBe("word Shape");
    expect(await call("hover", { path: "a.fake", line: 5, symbol: "Shape" })).toBe("word Shape");
    expect(await call("references", { path: "b.fake", symbol: "Shape" })).toBe(
      ["a.fake:1:5: def Shape", "a.fake:5:8: 😀 use Shape é Shape", "a.fake:5:16: 😀 use Shape é Shape", "b.fake:1:5: use Shape"].join(
        "\n",
      ),
    );
    expect(await call("symbols", { path: "a.fake" })).toBe("class Shape: 1\n  method area: 2\nclass Circle: 3\n  method area: 4");
    expect(await call("symbols", { query: "Circle" })).toBe("function Circle: a.fake:3:5: def Circle");
    expect(await call("hover", { path: "a.fake", symbol: "area" })).toMatch(
      /more than one symbol.*\n- line 2: method Shape\/area\n- line 4/,
    );
    expect(await call("hover", { path: "a.fake", symbol: "nothing" })).toContain("There is no symbol nothing in a.fake");
    expect(await call("hover", { path: "a.fake" })).toBe("Give a symbol, or a line and a column.");
    expect(await call("hover", { path: "../a.fake", symbol: "x" })).toContain("does not exist");
  });

  test("rename in all files that use a symbol, and keep every other byte", async () => {
    const { scene, call } = await sceneWith(encoding);
    await using _scene = scene;
    expect(await call("rename", { path: "b.fake", symbol: "Shape", newName: "Form" })).toBe("Renamed Shape to Form in a.fake, b.fake");
    expect(await scene.read("a.fake")).toBe(SHAPES.replaceAll("Shape", "Form"));
    expect(await scene.read("b.fake")).toBe("use Form\n");
    expect(await call("definition", { path: "b.fake", symbol: "Form" })).toBe("a.fake:1:5: def Form");
  });
});

test.each([
  ["rename-outside", "outside of the workspace. Nothing was changed."],
  ["rename-file", "create, move or delete files"],
  ["rename-stale", "has another version of a.fake. Nothing was changed."],
  ["rename-more", "would write something else than Form into"],
])("a rename that answers %s changes nothing", async (mode, told) => {
  const { scene, call } = await sceneWith(mode);
  await using _scene = scene;
  expect(await call("rename", { path: "b.fake", symbol: "Shape", newName: "Form" })).toContain(told);
  expect(await scene.read("a.fake")).toBe(SHAPES);
  expect(await scene.read("b.fake")).toBe("use Shape\n");
});

test("a rename where no name is lets the server insert nothing", async () => {
  const { scene, call } = await sceneWith("rename-nothing");
  await using _scene = scene;
  await scene.write("c.fake", "use Shape  + \n");
  expect(await call("rename", { path: "c.fake", line: 1, column: 12, newName: "Form" })).toBe(
    "There is no name here. Nothing was changed.",
  );
  expect(await scene.read("c.fake")).toBe("use Shape  + \n");
});

test("a rename is a write that the owner decides once, and the others are reads", async () => {
  await using scene = await openScene();
  await scene.write("a.fake", SHAPES);
  const source = await scene.source(scene.fake());
  const rename = toolOf(source, "lsp_rename_fake");
  expect(rename.traits).toMatchObject({ effect: "write", parallel: false, network: false });
  const given = { path: "a.fake", symbol: "Shape", newName: "Form" };
  const run = { workspace: scene.workspace } as Parameters<NonNullable<typeof rename.inspect>>[1];
  expect(await rename.inspect?.({ id: "1", name: rename.name, arguments: given }, run)).toMatchObject({
    type: "action",
    text: "Rename Shape in a.fake to Form, in all files that use it",
    onceOnly: true,
  });
  const instructions = { id: "1", name: rename.name, arguments: { ...given, path: "AGENTS.fake" } };
  expect(await rename.changedInstructions?.(instructions, run)).toBe("AGENTS.fake");
  for (const tool of source.tools.filter(({ name }) => name !== rename.name))
    expect(tool.traits).toMatchObject({ effect: "read", output: "trusted", network: false });
});

test("guests get nothing, and text of others is marked", async () => {
  await using scene = await openScene();
  await scene.write("a.fake", "def safe\nuse odd\n");
  await scene.write("b.fake", "def odd STRANGER\n");
  const source = await scene.source(scene.fake());
  const guest = await callTool(source, "lsp_hover_fake", { path: "a.fake", symbol: "safe" }, { ...scene, run: { owner: false } });
  expect(guest.isError).toBe(true);
  expect(textOf(guest)).toContain("work for the owner alone");
  const safe = await callTool(source, "lsp_hover_fake", { path: "a.fake", symbol: "safe" }, scene);
  expect(safe.untrusted).toBeUndefined();
  const odd = await callTool(source, "lsp_hover_fake", { path: "a.fake", symbol: "odd" }, scene);
  expect(odd.untrusted).toBe(true);
});

test.each([["push"], ["pull"], ["unversioned"], ["late"]])("diagnostics of a file as it is now are listed: %s", async (mode) => {
  const { scene, call } = await sceneWith(mode);
  await using _scene = scene;
  expect(await call("diagnostics", { path: "a.fake" })).toBe("a.fake has no errors or warnings.");
  await scene.write("a.fake", "def a\nBADLY done\n😀 BAD thing\n");
  expect(await call("diagnostics", { path: "a.fake" })).toBe("3:4 error: bad: BAD thing [7]\n2:1 warning: bad: BADLY done [7]");
});

test("a server has the tools of its capabilities, and they change with them", async () => {
  await using scene = await openScene();
  await scene.write("a.fake", SHAPES);
  const source = await scene.source(scene.fake("little"));
  expect(source.tools.map(({ name }) => name)).toEqual(["lsp_definition_fake", "lsp_diagnostics_fake"]);
  const grown = await scene.source(scene.fake("little,grows"));
  await expect
    .poll(() => grown.tools.map(({ name }) => name), { timeout: 20_000 })
    .toEqual(["lsp_definition_fake", "lsp_diagnostics_fake", "lsp_hover_fake"]);
});

test("of places that are no files only the kind is shown", async () => {
  const { scene, call } = await sceneWith("elsewhere");
  await using _scene = scene;
  expect(await call("definition", { path: "b.fake", symbol: "Shape" })).toBe(
    "[a place that is no file, in untitled]\n[a place that is no file, in http]\n[a place that is no file]",
  );
});

test("every request of a server is answered", async () => {
  await using scene = await openScene();
  await scene.write("a.fake", SHAPES);
  await scene.source(scene.fake("asks", { settings: { fake: { deep: { a: 1 } } }, initializationOptions: { b: 2 } }));
  await expect.poll(scene.calls, { timeout: 20_000 }).toContain("asked everything");
  const answers = scene.calls().filter((line) => line.startsWith("answer "));
  expect(scene.calls()).toContain('options {"b":2}');
  expect(answers).toContain('answer workspace/configuration [{"a":1},{},{"fake":{"deep":{"a":1}}}]');
  expect(answers).toContain(`answer workspace/configuration ${JSON.stringify(Array.from({ length: 100 }, () => ({})))}`);
  expect(answers.find((line) => line.includes("applyEdit"))).toContain('"applied":false');
  expect(answers.find((line) => line.includes("workspaceFolders"))).toContain('"name":"workspace"');
  expect(answers.find((line) => line.includes("fake/unknown"))).toContain("-32601");
  expect(answers.filter((line) => line.endsWith(" null"))).toHaveLength(8);
});
