import type { AgentTool, JsonObject, RunFacts, RunKind, ToolTraits } from "@factotum/agent-contract";
import { RUN_KINDS, withoutUndefined } from "@factotum/agent-contract";
import type { Origin } from "@factotum/channel-contract";
import { describe, expect, test } from "vitest";
import { confirmationHint, createToolGate } from "./tool-gate.ts";

const origin: Origin = { channel: "test", accountId: "default", conversation: { kind: "direct", id: "dm-1" } };

function tool(traits: Partial<ToolTraits>): AgentTool {
  return {
    name: "some_tool",
    summary: "",
    description: "",
    parameters: {},
    traits: { effect: "read", idempotent: false, output: "trusted", network: false, parallel: false, ...traits },
    execute: async () => ({ content: [] }),
  };
}

function facts(owner: boolean, kind: RunKind, sandbox?: RunFacts["sandbox"]): RunFacts {
  return {
    runId: "r",
    kind,
    agentId: "main",
    sessionKey: "agent:main:main",
    sessionId: "s",
    workspace: "/w",
    owner,
    timeZone: "UTC",
    ...withoutUndefined({ sandbox }),
  };
}

function check(
  traits: Partial<ToolTraits>,
  run: {
    readonly owner?: boolean;
    readonly tainted?: boolean;
    readonly kind?: RunKind;
    readonly arguments?: JsonObject;
    /** Addresses that somebody else has named. */
    readonly given?: readonly string[];
    readonly sandbox?: RunFacts["sandbox"];
  },
): string {
  const { owner = true, tainted = false, kind = "user", given = [] } = run;
  const isGiven = (address: string): boolean => given.includes(address);
  const call = { id: "c", name: "some_tool", arguments: run.arguments ?? {} };
  const decision = createToolGate().check(call, tool(traits), { facts: facts(owner, kind, run.sandbox), origin, tainted, isGiven });
  return { allow: "runs", ask: "confirm", refuse: "refused" }[decision.type];
}

const ELSEWHERE = { target: "dm-2" };

describe("a call of the owner's turn", () => {
  test.each([
    ["read", { effect: "read" }, {}, "runs"],
    ["read over the network", { effect: "read", network: true }, {}, "runs"],
    ["write", { effect: "write" }, {}, "runs"],
    ["write over the network", { effect: "write", network: true }, {}, "confirm"],
    ["write with a service of the owner's choice", { effect: "write", network: true, ownServices: true }, {}, "runs"],
    ["execute", { effect: "execute" }, {}, "confirm"],
    ["config", { effect: "config" }, {}, "confirm"],
    ["send to the run's own origin", { effect: "send", network: true }, {}, "runs"],
    ["send there by its name", { effect: "send" }, { channel: "test", target: "dm-1" }, "runs"],
    ["send to the run's own origin with null for omitted fields", { effect: "send" }, { channel: null, target: null }, "runs"],
    ["send to another conversation", { effect: "send" }, ELSEWHERE, "confirm"],
    ["send on another channel", { effect: "send" }, { channel: "other", target: "dm-1" }, "confirm"],
    ["send to an invalid address", { effect: "send" }, { target: ["dm-1"] }, "confirm"],
    ["send a file of the workspace", { effect: "send" }, { media: "out/a.png" }, "runs"],
    ["send a file of the web by its path", { effect: "send" }, { path: "https://example.com/a.png" }, "confirm"],
    ["read from a web address", { effect: "read" }, { media: "https://example.com/a.png", target: "dm-2" }, "runs"],
    ["send a file of the web", { effect: "send" }, { media: "https://example.com/a.png" }, "confirm"],
  ] as const)("%s", (_name, traits, call, whenTainted) => {
    expect(check(traits, { arguments: call })).toBe("runs");
    expect(check(traits, { arguments: call, tainted: true })).toBe(whenTainted);
    expect(check(traits, { arguments: call, tainted: true, owner: false })).toBe(whenTainted === "confirm" ? "refused" : "runs");
  });

  test.each(RUN_KINDS)("has the same rules in a run of the kind %s", (kind) => {
    expect(check({ effect: "execute" }, { kind })).toBe("runs");
    expect(check({ effect: "execute" }, { kind, tainted: true })).toBe("confirm");
  });
});

describe("a call that requests an address", () => {
  const url = "https://example.com/?d=1";
  const web = { effect: "read", network: true, output: "untrusted" } as const;

  test.each([
    ["in the owner's turn", { owner: true, tainted: false }, "runs"],
    ["in a tainted turn", { owner: true, tainted: true }, "confirm"],
    ["in a guest's turn", { owner: false, tainted: true }, "refused"],
    ["in a guest's turn without a mark", { owner: false, tainted: false }, "refused"],
  ] as const)("%s", (_name, run, whenComposed) => {
    expect(check(web, { ...run, arguments: { url } })).toBe(whenComposed);
    expect(check(web, { ...run, arguments: { url }, given: [url] })).toBe("runs");
    expect(check(web, { ...run, arguments: { url }, given: ["https://example.com/"] })).toBe(whenComposed);
    // A search, a file, and an argument that the tool itself refuses.
    expect(check(web, { ...run, arguments: { query: url } })).toBe("runs");
    expect(check({ effect: "read" }, { ...run, arguments: { url } })).toBe("runs");
    expect(check(web, { ...run, arguments: { url: [url] } })).toBe("runs");
    // Of a list every address counts, however it is written.
    for (const listed of [url, ` ${url}`, url.replace("https", "HTTPS"), `${url}\0`])
      expect(check(web, { ...run, arguments: { images: ["a.png", listed] } })).toBe(whenComposed);
    expect(check(web, { ...run, arguments: { images: ["a.png", url] }, given: [url] })).toBe("runs");
    expect(check(web, { ...run, arguments: { images: ["a.png"] } })).toBe("runs");
  });

  test("says what would be allowed", () => {
    const call = { id: "c", name: "web_fetch", arguments: { url } };
    const decision = createToolGate().check(call, tool(web), { facts: facts(true, "user"), origin, tainted: true, isGiven: () => false });
    expect(decision).toMatchObject({ type: "ask", reason: expect.stringMatching(/Rule taint.*exactly as it stands there/) as string });
  });
});

describe("a call of a sandboxed turn", () => {
  const sandbox = { workspaceAccess: "none", shared: true } as const;
  const OTHERS = [
    { owner: true, tainted: true },
    { owner: false, tainted: true },
    { owner: false, tainted: false },
  ] as const;

  test("runs commands of every sender, if they go through the sandbox", () => {
    for (const run of OTHERS) {
      expect(check({ effect: "execute", sandboxed: true }, { ...run, sandbox })).toBe("runs");
      expect(check({ effect: "execute", sandboxed: true }, run)).not.toBe("runs");
      expect(check({ effect: "execute" }, { ...run, sandbox })).not.toBe("runs");
    }
  });

  test("asks the owner about commands that reach hosts, except in the owner's own turns", () => {
    const networked = { ...sandbox, network: ["a.example"] };
    for (const run of OTHERS) expect(check({ effect: "execute", sandboxed: true }, { ...run, sandbox: networked })).toBe("confirm");
    expect(check({ effect: "execute", sandboxed: true }, { sandbox: networked })).toBe("runs");
    // To watch or end them is no command.
    expect(check({ effect: "read", sandboxed: true }, { owner: false, sandbox: networked })).toBe("runs");
  });

  test("has no other right because of it", () => {
    for (const run of OTHERS) {
      expect(check({ effect: "config", sandboxed: true }, { ...run, sandbox })).not.toBe("runs");
      expect(check({ effect: "send" }, { ...run, sandbox, arguments: ELSEWHERE })).not.toBe("runs");
      expect(check({ effect: "write", network: true }, { ...run, sandbox })).not.toBe("runs");
      expect(check({ effect: "write", network: true, sandboxed: true }, { ...run, sandbox })).not.toBe("runs");
    }
  });
});

test("tells the model to ask for a confirmation only if a person is present", () => {
  // The owner is asked also in runs that the work of a person has caused.
  const present: readonly string[] = ["user", "command", "subagent", "a2a"];
  for (const kind of RUN_KINDS) expect(confirmationHint({ kind })).toContain(present.includes(kind) ? "/trust" : "no one to confirm");
});

test("a web file named by an answer is fetched for the owner alone, and never in a tainted turn", () => {
  const gate = createToolGate();
  for (const [owner, tainted, may] of [
    [true, false, true],
    [true, true, false],
    [false, false, false],
    [false, true, false],
  ] as const)
    expect(gate.mayFetch({ facts: facts(owner, "user"), tainted })).toBe(may);
});
