import { stripVTControlCharacters } from "node:util";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { CliHome } from "../../test/cli.ts";
import { FakeGateway } from "../../test/fake-gateway.ts";
import { relativeTime } from "../runtime/relative-time.ts";

let home: CliHome;
beforeEach(async () => {
  home = await CliHome.create();
});
afterEach(async () => home[Symbol.asyncDispose]());

test.each([
  [["status", "--jsn"], "Did you mean --json?"],
  [["sttus"], "Did you mean status?"],
  [["sessions", "lst"], "Did you mean list?"],
])("%j names the nearest", async (args, words) => {
  expect(await home.run(...args)).toMatchObject({ code: 2, stderr: expect.stringContaining(words) as string });
});

test.each([
  [["help", "nosuch"], "unknown command 'nosuch'"],
  [["help", "sttus"], "unknown command 'sttus'\n(Did you mean status?)"],
  [["help", "sessions", "lst"], "unknown command 'lst'\n(Did you mean list?)"],
  [["sessions", "help", "lst"], "unknown command 'lst'\n(Did you mean list?)"],
  [["sttus", "--help"], "unknown command 'sttus'\n(Did you mean status?)"],
])("%j names the unknown command, and shows no help of another", async (args, words) => {
  const { code, stdout, stderr } = await home.run(...args);
  expect([code, stdout]).toEqual([2, ""]);
  expect(stderr).toContain(`error: ${words}\n`);
  expect(stderr).not.toContain("Usage:");
});

test.each([
  [["help"], "factotum [options] [command]"],
  [["help", "sessions"], "factotum sessions [options] [command]"],
  [["help", "sessions", "show"], "factotum sessions show [options]"],
  [["sessions", "help", "show"], "factotum sessions show [options]"],
  [["config", "get", "help", "--help"], "factotum config get [options]"],
])("%j is the help of that command", async (args, usage) => {
  const { code, stdout } = await home.run(...args);
  expect(code).toBe(0);
  expect(stdout.startsWith(`Usage: ${usage}`)).toBe(true);
});

test.each([["version"], ["-v"], ["--version"], ["-V"]])("%s prints the version", async (word) => {
  expect(await home.run(word)).toEqual({ code: 0, stdout: "0.0.0-test\n", stderr: "" });
});

test("help has examples and the place of the documentation", async () => {
  expect((await home.run("--help")).stdout).toMatch(/Examples:\n {2}\$ factotum setup\n[^]*\/docs\/cli\.md\n$/);
  expect((await home.run("auth", "set", "--help")).stdout).toContain("$ factotum auth set openai < key.txt");
});

describe("with a gateway", () => {
  const sessions = [
    {
      key: "agent:main:main",
      sessionId: "s",
      agentId: "main",
      kind: "main",
      displayName: "Main",
      createdAtMs: 0,
      activeAtMs: Date.now() - 3 * 3_600_000,
      contextTokens: 1234,
      running: false,
      totalTokens: 1234,
    },
  ];
  const asked: string[] = [];
  const start = async (): Promise<FakeGateway> =>
    FakeGateway.start(home.factotumHome, {
      connect: async () => true,
      request: async (method) => {
        asked.push(method);
        if (method === "agents.list")
          return { agents: [{ id: "main", name: "Ada", isDefault: true, mainSessionKey: "agent:main:main", workspace: "/w" }] };
        if (method === "sessions.list") return { sessions };
        return { session: sessions[0], entry: {} };
      },
    });
  beforeEach(() => void asked.splice(0));

  test("a list is a table with relative times at a terminal, coloured unless asked not to be, and lines elsewhere", async () => {
    await using _gateway = await start();
    const table = (await home.runWith({ isTerminal: true }, "sessions", "list")).stdout;
    expect(table).toMatch(/^KEY +NAME +ACTIVE +TOKENS +MODEL +STATE\nagent:main:main +Main +3 hours ago +1,234\n$/);
    const coloured = (await home.runWith({ isTerminal: true, hasColour: true }, "sessions", "list")).stdout;
    expect(coloured).not.toBe(table);
    expect(stripVTControlCharacters(coloured)).toBe(table);
    expect((await home.run("sessions", "list")).stdout).toMatch(/^agent:main:main {2}\(main, Main; active 2/);
    expect(JSON.parse((await home.runWith({ isTerminal: true }, "sessions", "list", "--json")).stdout)).toMatchObject({
      sessions: [{ contextTokens: 1234 }],
    });
  });

  test("a session is named main, by its agent, or by its key", async () => {
    await using _gateway = await start();
    for (const name of ["main", "agent:main:main"]) expect((await home.run("sessions", "show", name)).code).toBe(0);
    expect(asked).toEqual(["agents.list", "sessions.show", "sessions.show"]);
  });

  test.each([
    [["sessions", "show", "foo:bar"], '"foo:bar" is no session'],
    [["sessions", "show", " "], "is no session"],
    [["agent", "--session", "agent:", "-m", "hello"], "is no session"],
    [["agent", "--message", ""], "The message is empty"],
    [["agent", "--message", "  "], "The message is empty"],
  ])("%j exits with 2 and a readable message", async (args, words) => {
    await using _gateway = await start();
    expect(await home.run(...args)).toMatchObject({ code: 2, stderr: expect.stringContaining(words) as string });
  });
});

test.each([
  [["sessions", "show"]],
  [["sessions", "export"]],
  [["sessions", "reset"]],
  [["sessions", "delete", "--yes"]],
  [["agent", "-m", "hello", "--session"]],
  [["context", "--session"]],
  [["replay", "1", "--session"]],
])("%j refuses an invalid session name before it looks for a gateway", async (args) => {
  for (const name of ["foo:bar", "agent:", " "])
    expect(await home.run(...args, name)).toMatchObject({ code: 2, stderr: expect.stringContaining(`"${name}" is no session`) as string });
  expect((await home.run(...args, "main")).code).toBe(3);
});

test("an error is red on a terminal with colours alone", async () => {
  const { stderr } = await home.runWith({ hasColour: true }, "models", "test", "x");
  expect(stderr.startsWith("\u001b[31mfactotum:\u001b[39m ")).toBe(true);
  expect((await home.run("models", "test", "x")).stderr).toMatch(/^factotum: "x" is no model/);
});

test.each([
  [0, "just now"],
  [59_999, "just now"],
  [60_000, "1 minute ago"],
  [7_200_000, "2 hours ago"],
  [86_400_000, "1 day ago"],
])("%i ms are %s", (elapsedMs, words) => {
  expect(relativeTime(1_000_000_000_000 - elapsedMs, 1_000_000_000_000)).toBe(words);
});
