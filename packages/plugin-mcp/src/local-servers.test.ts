import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { callTool, openScene, textOf, toolOf } from "../test/scene.ts";

describe("a local server", { timeout: 90_000 }, () => {
  test("lists its tools once, and its list survives a restart of the gateway without a start of the server", async () => {
    await using scene = await openScene();
    const source = await scene.listed(scene.settings());
    expect(source.tools.map(({ name }) => name)).toContain("mcp__raw_echo");
    expect(scene.starts()).toBe(1);
    const [again] = scene.servers.sources({ raw: scene.settings() });
    expect(again?.tools).toBe(source.tools);

    await using second = await openScene({ folder: join(scene.folder, "lists") });
    const [stored] = second.servers.sources({ raw: scene.settings() });
    expect(stored?.tools.map(({ name }) => name)).toEqual(source.tools.map(({ name }) => name));
    expect(second.runner.started).toHaveLength(0);
    const [other] = second.servers.sources({ raw: scene.settings({ timeoutMs: 1 }) });
    expect(other?.tools).toEqual([]);
  });

  test("asks for the newest revision in one process, and remembers the answer", async () => {
    await using scene = await openScene();
    const source = await scene.listed(scene.settings());
    expect(scene.asked().slice(0, 2)).toEqual(["server/discover", "initialize"]);
    scene.clock.fire(600_000);
    await vi.waitFor(() => expect(scene.runner.groups.size).toBe(0));
    await callTool(source, "mcp__raw_echo", {}, scene);
    expect(scene.starts()).toBe(2);
    expect(scene.asked().filter((method) => method === "server/discover")).toHaveLength(1);
  });

  test("is started again if it ends with a question that it does not know", async () => {
    await using scene = await openScene();
    const source = await scene.listed(scene.settings({}, { MODE: "strict" }));
    expect(source.tools.length).toBeGreaterThan(5);
    expect(scene.starts()).toBe(2);
  });

  test("passes results on: text, images, resources, structured content and errors", async () => {
    await using scene = await openScene();
    const source = await scene.listed(scene.settings());
    expect(textOf(await callTool(source, "mcp__raw_echo", { a: 1 }, scene))).toBe('heard {"a":1}');
    const image = textOf(await callTool(source, "mcp__raw_image", {}, scene));
    expect(image).toBe(
      "<image/png>\n[image: image/tiff, 3 bytes; it cannot be shown]\n[resource note://1]\na note\n[resource file:///a: a]",
    );
    const structured = await callTool(source, "mcp__raw_structured", {}, scene);
    expect(textOf(structured)).toBe('{"degrees":21}');
    expect(structured.details).toEqual({ structuredContent: { degrees: 21 } });
    expect(await callTool(source, "mcp__raw_fail", {}, scene)).toMatchObject({ isError: true, content: [{ text: "no such city" }] });
    const refused = await callTool(source, "mcp__raw_refuse", {}, scene);
    expect(refused.isError).toBe(true);
    expect(textOf(refused)).toMatch(/city is needed.*check the arguments/);
  });

  test("gets the configured variables and none of the gateway's, and works in the workspace or its folder", async () => {
    await using scene = await openScene();
    const source = await scene.listed(scene.settings({}, { TOKEN: "hunter2" }));
    const env = textOf(await callTool(source, "mcp__raw_env", {}, scene));
    expect(env).toContain('"TOKEN":"hunter2"');
    expect(scene.runner.started[0]?.request.env).toEqual({ TOKEN: "hunter2", STARTS: expect.anything(), CALLS: expect.anything() });
    expect(textOf(await callTool(source, "mcp__raw_cwd", {}, scene))).toBe(scene.folder);
    const elsewhere = await scene.listed(scene.settings({ cwd: "/" }));
    expect(textOf(await callTool(elsewhere, "mcp__raw_cwd", {}, scene))).toBe("/");
  });

  test("counts as external unless it is trusted, and never serves other people", async () => {
    await using scene = await openScene();
    const untrusted = toolOf(await scene.listed(scene.settings()), "mcp__raw_echo");
    expect(untrusted.traits).toEqual({ effect: "write", idempotent: false, output: "untrusted", network: true, parallel: false });
    expect(untrusted.summary).toBe("");
    const source = await scene.listed(scene.settings({ trusted: true }));
    expect(toolOf(source, "mcp__raw_echo")).toMatchObject({
      summary: "Does echo.",
      traits: { effect: "read", output: "trusted", network: false },
    });
    expect(toolOf(source, "mcp__raw_die").traits).toMatchObject({ effect: "write", network: true, output: "trusted" });
    const guest = await callTool(source, "mcp__raw_echo", {}, { ...scene, run: { owner: false } });
    expect(guest).toMatchObject({ isError: true, untrusted: false });
    expect(textOf(guest)).toContain("act for the owner alone");
  });

  test("is shared by the runs of an agent, and has a process for every sandbox", async () => {
    await using scene = await openScene();
    const source = await scene.listed(scene.settings());
    await Promise.all([1, 2, 3].map(async () => callTool(source, "mcp__raw_echo", {}, scene)));
    expect(scene.starts()).toBe(1);
    const sandbox = { workspaceAccess: "none", shared: false } as const;
    await callTool(source, "mcp__raw_echo", {}, { ...scene, run: { sandbox } });
    await callTool(source, "mcp__raw_echo", {}, { ...scene, run: { agentId: "other" } });
    expect(scene.runner.started.map(({ run }) => [run.agentId, run.sandbox])).toEqual([
      ["main", undefined],
      ["main", sandbox],
      ["other", undefined],
    ]);
    const off = await scene.listed(scene.settings({ sandbox: { mode: "off", network: "none", workspace: "ro" } }));
    await callTool(off, "mcp__raw_echo", {}, { ...scene, run: { sandbox } });
    expect(scene.runner.started.at(-1)?.run.sandbox).toBeUndefined();
    const on = await scene.listed(scene.settings({ sandbox: { mode: "on", network: { allow: ["a.example"] }, workspace: "rw" } }));
    await callTool(on, "mcp__raw_echo", {}, scene);
    expect(scene.runner.started.at(-1)?.run.sandbox).toEqual({ workspaceAccess: "rw", shared: false, network: ["a.example"] });
  });

  test("offers the tools of its filter alone", async () => {
    await using scene = await openScene();
    const source = await scene.listed(scene.settings({ toolFilter: ["echo", "s*", "*ong-*"] }));
    expect(source.tools.map(({ name }) => name)).toEqual([
      "mcp__raw_echo",
      "mcp__raw_sample",
      "mcp__raw_sample-often",
      "mcp__raw_slow",
      "mcp__raw_spam",
      "mcp__raw_structured",
      "mcp__raw_wrong-ids",
    ]);
  });

  test("reports progress, which extends the time of a call up to a limit", async () => {
    await using scene = await openScene();
    const source = await scene.listed(scene.settings({ timeoutMs: 400 }));
    const deltas: string[] = [];
    const result = await callTool(source, "mcp__raw_slow", { steps: 5 }, { ...scene, onDelta: (text) => deltas.push(text) });
    expect(textOf(result)).toBe("finished");
    expect(deltas[0]).toBe("1 of 5: at it\n");
    await callTool(source, "mcp__raw_slow", { steps: 2, words: "x".repeat(9_000) }, { ...scene, onDelta: (text) => deltas.push(text) });
    expect(deltas).toContain(`1 of 2: ${"x".repeat(1_000)}\n`);
    const endless = await callTool(source, "mcp__raw_slow", { steps: 1_000 }, scene);
    expect(textOf(endless)).toContain("did not answer within 0 s, and the call was cancelled");
  });

  test("is told when a call is stopped", async () => {
    await using scene = await openScene();
    const source = await scene.listed(scene.settings());
    const stop = new AbortController();
    const call = callTool(source, "mcp__raw_hang", {}, { ...scene, signal: stop.signal });
    await vi.waitFor(() => expect(scene.asked()).toContain("tools/call"));
    stop.abort();
    expect(textOf(await call)).toContain("The call was stopped.");
    expect(scene.asked()).not.toContain("ping");
    await vi.waitFor(() => expect(scene.asked()).toContain("notifications/cancelled"));
    expect(textOf(await callTool(source, "mcp__raw_echo", {}, scene))).toContain("heard");
    expect(scene.starts()).toBe(1);
  });

  test("is not idle while a call runs", async () => {
    await using scene = await openScene();
    const source = await scene.listed(scene.settings());
    const stop = new AbortController();
    const call = callTool(source, "mcp__raw_hang", {}, { ...scene, signal: stop.signal });
    await vi.waitFor(() => expect(scene.asked()).toContain("tools/call"));
    scene.clock.fire(600_000);
    // The end of a wait is worked on before a call comes: one at the same moment counts, too.
    await new Promise(setImmediate);
    expect(textOf(await callTool(source, "mcp__raw_echo", {}, scene))).toContain("heard");
    expect(scene.starts()).toBe(1);
    stop.abort();
    expect(textOf(await call)).toContain("The call was stopped.");
    scene.clock.fire(600_000);
    await vi.waitFor(() => expect(scene.runner.groups.size).toBe(0));
  });

  test("whose settings change during a call ends with it, and is not said to have failed", async () => {
    await using scene = await openScene();
    const source = await scene.listed(scene.settings());
    const call = callTool(source, "mcp__raw_hang", {}, scene);
    await vi.waitFor(() => expect(scene.asked()).toContain("tools/call"));
    const changed = await scene.listed(scene.settings({ timeoutMs: 1_000 }));
    expect(textOf(await call)).toContain(
      "has ended during the call: it was removed, or its settings have changed. The call may have taken effect",
    );
    expect(scene.logged.filter((line) => line.startsWith("An MCP server cannot be used"))).toEqual([]);
    expect([source.problem, changed.problem]).toEqual([undefined, undefined]);
  });

  test("is stopped when it is idle, when it is removed, when its settings change, and with the gateway", async () => {
    await using scene = await openScene();
    const source = await scene.listed(scene.settings());
    scene.clock.fire(600_000);
    await vi.waitFor(() => expect(scene.runner.groups.size).toBe(0));
    await callTool(source, "mcp__raw_echo", {}, scene);
    expect(scene.runner.groups.size).toBe(1);
    const changed = await scene.listed(scene.settings({ timeoutMs: 1_000 }));
    await callTool(changed, "mcp__raw_echo", {}, scene);
    await vi.waitFor(() => expect(scene.runner.groups.size).toBe(1));
    expect(textOf(await callTool(source, "mcp__raw_echo", {}, scene))).toContain("removed, or its settings have changed");
    scene.servers.sources({});
    await vi.waitFor(() => expect(scene.runner.groups.size).toBe(0));
    await scene.listed(scene.settings());
    await scene.servers.close();
    expect(scene.runner.groups.size).toBe(0);
  });

  test("takes a changed list up, and however often it says so, reads it once", async () => {
    await using scene = await openScene();
    const source = await scene.listed(scene.settings({}, { LIST: "grows" }));
    const before = source.tools;
    await writeFile(join(scene.folder, "starts.more"), "");
    await callTool(source, "mcp__raw_spam", {}, scene);
    await vi.waitFor(() => expect(source.tools.map(({ name }) => name)).toContain("mcp__raw_added"), { timeout: 20_000 });
    expect(before.map(({ name }) => name)).toEqual(["mcp__raw_echo", "mcp__raw_spam"]);
    expect(scene.asked().filter((method) => method === "tools/list")).toHaveLength(2);
  });
});
