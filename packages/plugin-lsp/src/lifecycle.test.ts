import { rm } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { callTool, facts, LIMITS, openScene, textOf } from "../test/scene.ts";

/** Processes start slowly on a busy machine. */
const until = async (check: () => void): Promise<void> => vi.waitFor(check, { timeout: 20_000 });

const HOVER = { path: "a.fake", symbol: "name" };

describe("a language server", { timeout: 60_000 }, () => {
  test("is remembered: a restart of the gateway starts none, and neither does a workspace without its files", async () => {
    await using scene = await openScene();
    const empty = await scene.source(scene.fake());
    expect([empty.tools, scene.runner.started]).toEqual([[], []]);
    await scene.write("deep/a.fake", "def name\n");
    const source = await scene.source(scene.fake());
    expect(source.tools).toHaveLength(6);
    expect(scene.runner.started).toHaveLength(1);

    await using second = await openScene({ folder: join(scene.folder, "lists") });
    const stored = await second.source(scene.fake());
    expect(stored.tools.map(({ name }) => name)).toEqual(source.tools.map(({ name }) => name));
    expect(second.runner.started).toEqual([]);
    const other = await second.source(scene.fake("pull"));
    expect(other.tools).toEqual([]);
  });

  test("is started in the project of the file, in the sandbox of the session, with its own variables alone", async () => {
    await using scene = await openScene();
    await scene.write("project/root.fake-project", "");
    await scene.write("project/src/a.fake", "def name\n");
    const source = await scene.source(scene.fake());
    const given = { path: "project/src/a.fake", symbol: "name" };
    expect(textOf(await callTool(source, "lsp_hover_fake", given, scene))).toBe("word name");
    expect(scene.runner.started).toHaveLength(1);
    expect(scene.runner.started[0]?.request).toMatchObject({ cwd: join(scene.workspace, "project"), tainted: true });
    expect(Object.keys(scene.runner.started[0]?.request.env ?? {})).toEqual(["MODES", "CALLS"]);
    const sandbox = { workspaceAccess: "ro", shared: false } as const;
    await callTool(source, "lsp_hover_fake", given, { ...scene, run: { sandbox } });
    expect(scene.runner.started.map(({ run }) => run.sandbox)).toEqual([undefined, sandbox]);
    const on = await scene.source(scene.fake("", { sandbox: { mode: "on", network: { allow: ["a.example"] }, workspace: "rw" } }));
    await callTool(on, "lsp_hover_fake", given, scene);
    expect(scene.runner.started.at(-1)?.run.sandbox).toEqual({ workspaceAccess: "rw", shared: false, network: ["a.example"] });
  });

  test("is stopped when it is idle, when it is removed, when its settings change, and with the gateway", async () => {
    await using scene = await openScene();
    await scene.write("a.fake", "def name\n");
    const source = await scene.source(scene.fake());
    scene.clock.fire(600_000);
    await until(() => expect(scene.runner.groups.size).toBe(0));
    expect(textOf(await callTool(source, "lsp_hover_fake", HOVER, scene))).toBe("word name");
    await scene.source(scene.fake("pull"));
    await until(() => expect(scene.runner.groups.size).toBe(1));
    expect(textOf(await callTool(source, "lsp_hover_fake", HOVER, scene))).toContain("removed, or its settings have changed");
    scene.servers.sources({}, { idleMs: 1, maxServers: 1, workspacePrograms: false, changeDiagnostics: false });
    await until(() => expect(scene.runner.groups.size).toBe(0));
    await scene.source(scene.fake());
    expect(scene.runner.groups.size).toBe(1);
    await scene.servers.close();
    expect(scene.runner.groups.size).toBe(0);
    expect(await scene.change("a.fake", "BAD\n")).toBeUndefined();
    expect(scene.runner.groups.size).toBe(0);
  });

  test("is not idle while a call runs", async () => {
    await using scene = await openScene();
    await scene.write("a.fake", "def name\n");
    const source = await scene.source(scene.fake("hang"));
    const stop = new AbortController();
    const ask = async (count: number): Promise<void> => {
      const call = callTool(source, "lsp_definition_fake", { path: "a.fake", line: 1, column: 6 }, { ...scene, signal: stop.signal });
      call.catch(() => undefined);
      await until(() => expect(scene.calls().filter((method) => method === "textDocument/definition")).toHaveLength(count));
    };
    await ask(1);
    scene.clock.fire(600_000);
    // The end of a wait is worked on before a call comes: one at the same moment counts, too.
    await new Promise(setImmediate);
    await ask(2);
    expect(scene.runner.started).toHaveLength(1);
    stop.abort();
  });

  test("has 20 files open, and closes the oldest for another one", async () => {
    await using scene = await openScene();
    const names = Array.from({ length: 22 }, (_, index) => `${index}.fake`);
    for (const name of names) await scene.write(name, "def name\n");
    const source = await scene.source(scene.fake());
    for (const name of names) await callTool(source, "lsp_hover_fake", { path: name, symbol: "name" }, scene);
    const count = (method: string): number => scene.calls().filter((one) => one === method).length;
    expect(count("textDocument/didOpen") - count("textDocument/didClose")).toBe(20);
  });

  test("is ended with its group, even if it does not leave", async () => {
    await using scene = await openScene();
    await scene.write("a.fake", "def name\n");
    await scene.source(scene.fake("stays"));
    expect(scene.runner.groups.size).toBe(1);
    await scene.servers.close();
    expect(scene.runner.groups.size).toBe(0);
  });

  test("is not waited for if it is removed while its process starts", async () => {
    await using scene = await openScene({
      runner: {
        start: async (request, options) => {
          void scene.servers.close();
          return scene.runner.start(request, options);
        },
        run: async () => Promise.reject(new Error("servers are started")),
      },
    });
    await scene.write("a.fake", "def name\n");
    await scene.source(scene.fake("hang-at-start"));
    await scene.servers.close();
    expect(scene.runner.groups.size).toBe(0);
    expect(scene.calls()).not.toContain("initialize");
  });

  test("makes room for another one when as many run as may", async () => {
    await using scene = await openScene();
    for (const name of ["one", "two", "three"]) {
      await scene.write(`${name}/root.fake-project`, "");
      await scene.write(`${name}/a.fake`, "def name\n");
    }
    const source = await scene.source(scene.fake(), { maxServers: 2 });
    for (const name of ["one", "two", "three", "one"]) {
      expect(textOf(await callTool(source, "lsp_hover_fake", { path: `${name}/a.fake`, symbol: "name" }, scene))).toBe("word name");
      expect(scene.runner.groups.size).toBeLessThanOrEqual(2);
    }
    expect(scene.runner.started).toHaveLength(4);
  });

  test("is asked what it can do even if more servers start at once than may run", async () => {
    await using scene = await openScene();
    const names = ["one", "two", "three", "four", "five"];
    for (const name of names) await scene.write(`a.${name}`, "def name\n");
    const settings = names.map((name) => [name, scene.fake("", { languages: [name], extensions: { [`.${name}`]: name } })] as const);
    const sources = scene.servers.sources(Object.fromEntries(settings), { ...LIMITS, maxServers: 2 });
    await Promise.all(sources.map(async (one) => one.prepare?.({ ...facts(scene.workspace), signal: new AbortController().signal })));
    expect(sources.map(({ tools }) => tools.length)).toEqual([6, 6, 6, 6, 6]);
    expect(scene.runner.groups.size).toBeLessThanOrEqual(2);
  });

  test("that cannot start has a problem, and is tried again after a pause", async () => {
    await using scene = await openScene();
    await scene.write("a.fake", "def name\n");
    const source = await scene.source(scene.fake("die-at-start"));
    expect(source.tools).toEqual([]);
    expect(source.problem).toContain("it has ended (there is no license)");
    await source.prepare?.({ ...facts(scene.workspace), signal: new AbortController().signal });
    expect(scene.runner.started).toHaveLength(1);
    scene.clock.advance(1_500);
    await source.prepare?.({ ...facts(scene.workspace), signal: new AbortController().signal });
    expect(scene.runner.started).toHaveLength(2);
    expect(scene.runner.groups.size).toBe(0);
  });

  test("that dies in a call is one message to the model, and the next call after a pause starts it again", async () => {
    await using scene = await openScene();
    await scene.write("a.fake", "def name\n");
    const source = await scene.source(scene.fake("die-in-call"));
    const died = await callTool(source, "lsp_hover_fake", HOVER, scene);
    expect(died.isError).toBe(true);
    expect(textOf(died)).toContain("The language server fake did not answer: it has ended");
    expect(textOf(await callTool(source, "lsp_definition_fake", HOVER, scene))).toMatch(
      /cannot be used: it has ended; it is tried again in 1 s/,
    );
    expect(source.problem).toBe("it has ended");
    scene.clock.advance(1_500);
    expect(textOf(await callTool(source, "lsp_definition_fake", HOVER, scene))).toBe("a.fake:1:5: def name");
    expect(source.problem).toBeUndefined();
  });

  test.each([
    ["hang", 30_000, "did not answer within 30 s"],
    ["hang-at-start", 60_000, "did not answer within 60 s"],
  ])("that does not answer (%s) is given up", async (mode, waitMs, told) => {
    await using scene = await openScene();
    await scene.write("a.fake", "def name\n");
    const { servers } = scene;
    const preparing = scene.source(scene.fake(mode));
    if (mode === "hang-at-start") {
      await until(() => expect(scene.calls()).toContain("initialize"));
      scene.clock.fire(15_000);
      const source = await preparing;
      expect(source.tools).toEqual([]);
      scene.clock.fire(waitMs);
      await until(() => expect(source.problem).toContain(told));
    } else {
      const call = callTool(await preparing, "lsp_definition_fake", { path: "a.fake", line: 1, column: 6 }, scene);
      await until(() => expect(scene.calls()).toContain("textDocument/definition"));
      scene.clock.fire(waitMs);
      expect(textOf(await call)).toContain(told);
    }
    await servers.close();
    expect(scene.runner.groups.size).toBe(0);
  });

  test.each([
    ["garbage", "no message of a language server"],
    ["flood", "floods the gateway"],
    ["flood,answers", "floods the gateway"],
  ])("that writes too much (%s) is ended", async (mode, told) => {
    await using scene = await openScene();
    await scene.write("a.fake", "def name\n");
    const source = await scene.source(scene.fake(mode));
    if (mode.startsWith("flood")) await callTool(source, "lsp_hover_fake", HOVER, scene);
    await until(() => expect(source.problem).toContain(told));
    await until(() => expect(scene.runner.groups.size).toBe(0));
  });

  test.each([["large"], ["wrong-ids"]])("that writes %s goes on", async (mode) => {
    await using scene = await openScene();
    await scene.write("a.fake", "def name\n");
    const source = await scene.source(scene.fake(mode));
    expect(textOf(await callTool(source, "lsp_hover_fake", HOVER, scene))).toBe("word name");
    expect(scene.runner.started).toHaveLength(1);
  });

  test("is told when a call is stopped, and of files that commands have changed or removed", async () => {
    await using scene = await openScene();
    await scene.write("a.fake", "def name\n");
    await scene.write("b.fake", "use name\n");
    const source = await scene.source(scene.fake());
    await callTool(source, "lsp_hover_fake", HOVER, scene);
    await callTool(source, "lsp_hover_fake", { path: "b.fake", symbol: "name" }, scene);
    await scene.write("a.fake", "\ndef name\n");
    expect(textOf(await callTool(source, "lsp_definition_fake", { path: "b.fake", symbol: "name" }, scene))).toBe("a.fake:2:5: def name");
    await rm(join(scene.workspace, "a.fake"));
    expect(textOf(await callTool(source, "lsp_definition_fake", { path: "b.fake", symbol: "name" }, scene))).toBe(
      "No definition was found.",
    );
    const stop = new AbortController();
    const hanging = await scene.source(scene.fake("hang"));
    const call = callTool(hanging, "lsp_definition_fake", { path: "b.fake", line: 1, column: 5 }, { ...scene, signal: stop.signal });
    await until(() => expect(scene.calls().at(-1)).toBe("textDocument/definition"));
    stop.abort();
    await expect(call).rejects.toThrow();
    await until(() => expect(scene.calls()).toContain("$/cancelRequest"));
  });
});
