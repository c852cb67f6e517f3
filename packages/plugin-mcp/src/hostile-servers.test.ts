import { describe, expect, test, vi } from "vitest";
import { callTool, openScene, textOf } from "../test/scene.ts";

// Each of them starts programs, some of which wait for their limits.
describe("a server that misbehaves", { timeout: 90_000 }, () => {
  test("and does not answer a call is left alone if it lives, and started again if not", async () => {
    await using scene = await openScene();
    const alive = await scene.listed(scene.settings({ timeoutMs: 200 }));
    const slow = await callTool(alive, "mcp__raw_hang", {}, scene);
    expect(slow.isError).toBe(true);
    expect(textOf(slow)).toContain("the call was cancelled. Look whether it took effect");
    await callTool(alive, "mcp__raw_echo", {}, scene);
    expect(scene.starts()).toBe(1);
    const deaf = await scene.listed(scene.settings({ timeoutMs: 200 }, { MODE: "deaf" }));
    expect(textOf(await callTool(deaf, "mcp__raw_hang", {}, scene))).toMatch(
      /connection to the MCP server raw was lost: it did not answer/,
    );
    await vi.waitFor(() => expect(scene.runner.groups.size).toBe(0));
  });

  test("and answers nothing costs a session a bounded wait, and the next one none", async () => {
    await using scene = await openScene({ firstListMs: 300 });
    const settings = scene.settings({}, { MODE: "silent" });
    const source = await scene.listed(settings);
    expect(source.tools).toEqual([]);
    expect(source.problem).toBe("it has not started in time");
    const startedMs = performance.now();
    await scene.listed(settings);
    expect(performance.now() - startedMs).toBeLessThan(250);
    expect(scene.runner.started).toHaveLength(1);
    const closedMs = performance.now();
    await scene.servers.close();
    expect(performance.now() - closedMs).toBeLessThan(6_000);
  });

  test("and does not start is down with its own words, and tried again after pauses that grow", async () => {
    await using scene = await openScene();
    const settings = scene.settings({}, { MODE: "broken" });
    const source = await scene.listed(settings);
    expect(source.problem).toBe("it has ended (Error: set API_KEY to your key)");
    const starts = scene.starts();
    await scene.listed(settings);
    expect(scene.starts()).toBe(starts);
    scene.clock.advance(1_100);
    await scene.listed(settings);
    expect(scene.starts()).toBe(2 * starts);
    scene.clock.advance(1_100);
    await scene.listed(settings);
    expect(scene.starts()).toBe(2 * starts);
    const missing = await scene.listed(scene.settings({ command: "no-such-program" }));
    expect(missing.problem).toMatch(/no-such-program/);
  });

  test("and has no value for a secret is down with the name of the setting", async () => {
    await using scene = await openScene();
    const source = await scene.listed(scene.settings({ env: { TOKEN: { type: "env", name: "NONE" } } }));
    expect(source.problem).toBe("env.TOKEN has no value: there is no such secret");
    expect(scene.runner.started).toEqual([]);
  });

  test("and changes its list while it is read is read once more", async () => {
    await using scene = await openScene();
    const source = await scene.listed(scene.settings({}, { LIST: "changes-while-read" }));
    await callTool(source, "mcp__raw_spam", {}, scene);
    await vi.waitFor(() => expect(source.tools.map(({ name }) => name)).toContain("mcp__raw_added"), { timeout: 20_000 });
  });

  test("and floods its output is ended, with the reason", async () => {
    await using scene = await openScene();
    const source = await scene.listed(scene.settings());
    const result = await callTool(source, "mcp__raw_flood", {}, scene);
    expect(textOf(result)).toContain("it wrote a line of more than 12 million characters");
    await vi.waitFor(() => expect(scene.runner.groups.size).toBe(0));
    scene.clock.advance(60_000);
    expect(textOf(await callTool(source, "mcp__raw_echo", {}, scene))).toContain("heard");
  });

  test("and answers with wrong ids and words between is understood", async () => {
    await using scene = await openScene();
    const source = await scene.listed(scene.settings());
    expect(textOf(await callTool(source, "mcp__raw_wrong-ids", {}, scene))).toBe("right");
  });

  test("and dies in a call fails that call, and starts again with the next", async () => {
    await using scene = await openScene();
    const source = await scene.listed(scene.settings());
    const died = await callTool(source, "mcp__raw_die", {}, scene);
    expect(died.isError).toBe(true);
    expect(textOf(died)).toMatch(/was lost: it has ended \(out of cheese\)\. The call may have taken effect/);
    scene.clock.advance(60_000);
    expect(textOf(await callTool(source, "mcp__raw_echo", {}, scene))).toContain("heard");
    expect(source.problem).toBeUndefined();
  });

  test("and lists bad tools keeps its good ones", async () => {
    await using scene = await openScene();
    const source = await scene.listed(scene.settings({}, { LIST: "bad" }));
    const names = source.tools.map(({ name }) => name);
    expect(names).toHaveLength(3);
    expect(names.slice(0, 1)).toEqual(["mcp__raw_good"]);
    expect(names[1]).toMatch(/^mcp__raw_name_with_spaces_.*_[0-9a-f]{6}$/);
    for (const name of names) expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
    const reasons = scene.logged.filter((line) => line.startsWith("A tool of an MCP server is off")).join("\n");
    expect(reasons).toContain("refers to https://schemas.example/a.json, which is never fetched");
    expect(reasons).toContain("another tool of the server has its name");
    expect(reasons).toContain("nests deeper than 24 levels");
    expect(reasons).toContain("larger than 32768 bytes");
  });

  test.each([
    ["pages", "its list of tools has more than 100 pages"],
    ["large-pages", "its list of tools has more than 12 million characters"],
  ])("and lists tools without end (%s) is not used, and the reason is named", async (list, reason) => {
    await using scene = await openScene();
    const source = await scene.listed(scene.settings({}, { LIST: list }));
    expect([source.tools.length, source.problem]).toEqual([0, reason]);
    await vi.waitFor(() => expect(scene.runner.groups.size).toBe(0));
  });

  test("and goes on with its list for more than a minute is not used", async () => {
    await using scene = await openScene();
    const listed = scene.listed(scene.settings({}, { LIST: "slow-pages" }));
    await vi.waitFor(() => expect(scene.asked().filter((method) => method === "tools/list").length).toBeGreaterThan(1), {
      timeout: 20_000,
    });
    scene.clock.advance(61_000);
    expect((await listed).problem).toBe("its list of tools has not ended after 60 s");
  });

  test("and lists more than 1,000 tools has 1,000, and few lines of the log", async () => {
    await using scene = await openScene();
    const source = await scene.listed(scene.settings({}, { LIST: "too-many" }));
    expect(source.tools).toHaveLength(1_000);
    const lines = scene.logged.filter((line) => line.startsWith("A tool of an MCP server is off"));
    expect(lines).toHaveLength(50);
    expect(lines[0]).toContain("the server has more than 1000 tools");
  });

  test("and has 500 tools has 500 tools", async () => {
    await using scene = await openScene();
    const source = await scene.listed(scene.settings({}, { LIST: "many" }));
    expect(new Set(source.tools.map(({ name }) => name)).size).toBe(500);
  });
});
