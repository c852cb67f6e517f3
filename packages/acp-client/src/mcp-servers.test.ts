import { describe, expect, test } from "vitest";
import { openScene } from "../test/scene.ts";
import type { AgentServer } from "./index.ts";

const LOCAL: AgentServer = { name: "files", command: "sh", args: ["-c", "true"], env: { TOKEN: "t" } };
const PLACED: AgentServer = { ...LOCAL, name: "placed", env: {}, cwd: "/srv" };
const REMOTE: AgentServer = {
  name: "wiki",
  url: "https://wiki.example/mcp",
  transport: "streamable-http",
  headers: { "X-Team": "blue" },
  auth: "key",
};

const given = [
  { name: "files", command: expect.stringMatching(/^\/.*\/sh$/), args: ["-c", "true"], env: [{ name: "TOKEN", value: "t" }] },
  {
    name: "placed",
    command: "/bin/sh",
    args: ["-c", 'cd "$0" && exec "$@"', "/srv", expect.stringMatching(/\/sh$/), "-c", "true"],
    env: [],
  },
];

describe("tool servers of an agent", { timeout: 60_000 }, () => {
  test("are those of its settings, in a new conversation and in one that is loaded", async () => {
    const mcpServers = [LOCAL, PLACED, REMOTE];
    await using scene = await openScene({ env: { HTTP: "1", LOADS: "1" }, mcpServers });
    const headers = [
      { name: "X-Team", value: "blue" },
      { name: "Authorization", value: "Bearer key" },
    ];
    const all = [...given, { type: "http", name: "wiki", url: "https://wiki.example/mcp", headers }];
    expect(JSON.parse((await scene.ask("servers")).text)).toEqual(all);
    await scene.agents.close("agent:main:main");
    expect(JSON.parse((await scene.ask("servers", { known: "old" })).text)).toEqual(all);
  });

  test("are left out where the agent cannot reach them, and it says so", async () => {
    await using scene = await openScene({ mcpServers: [LOCAL, PLACED, REMOTE, { ...REMOTE, name: "old", transport: "sse" }] });
    const { text } = await scene.ask("servers");
    const [, notice, list = ""] = /^(\(.*\))\n\n(.*)$/s.exec(text) ?? [];
    expect(notice).toBe("(scripted takes no MCP servers of this kind: wiki, old. It works without.)");
    expect(JSON.parse(list)).toEqual(given);
    expect((await scene.ask("say More.")).text).toBe("More.");
  });

  test.each<[string, AgentServer, RegExp]>([
    [
      "needs the gateway's login",
      { name: "wiki", url: "https://wiki.example/mcp", transport: "streamable-http", headers: {} },
      /needs a login/,
    ],
    ["has a secret that is not there", { ...LOCAL, env: { TOKEN: {} } }, /the variable is not set/],
  ])("are not passed on if one %s, and nothing of the agent runs then", async (_why, server, message) => {
    await using scene = await openScene({ env: { HTTP: "1" }, mcpServers: [server], logins: ["wiki"] });
    const { error } = await scene.ask("servers");
    expect(error?.message).toMatch(message);
    expect(error?.message).toContain(`${server.name} in acp.agents.scripted.mcpServers`);
    expect(scene.runner.groups.size).toBe(0);
  });
});
