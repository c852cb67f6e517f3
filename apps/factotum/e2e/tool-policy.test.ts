import { join } from "node:path";
import { callTools, sayText } from "@factotum/testing-providers";
import type { CapturedRequest } from "@factotum/testing-providers";
import { expect, test } from "vitest";
import { GROUP, startGuestScene, type GuestScene, type Person } from "./guest-scene.ts";

const GROUP_SESSION = `agent:main:feishu:group:${GROUP}`;

interface PolicyScene extends GuestScene {
  /** Has the model make one call for a message, in the group or in the person's direct chat, and returns its result. */
  readonly call: (person: Person, place: "group" | "direct", name: string, args: object) => Promise<string>;
  /** Has the model make one call in the next turn; its result is `result` then. */
  readonly callNext: (name: string, args: object) => void;
  readonly result: () => string;
  /** The output of `factotum tools`, which must succeed. */
  readonly tools: (...args: readonly string[]) => Promise<string>;
}

/** A guest scene whose model makes one tool call per message, and then ends. */
async function startScene(options: NonNullable<Parameters<typeof startGuestScene>[1]>): Promise<PolicyScene> {
  const scene = await startGuestScene({}, options);
  let next: { readonly name: string; readonly arguments: Readonly<Record<string, string>> } = { name: "ls", arguments: {} };
  let result = "";
  scene.model.respond((request) => {
    const found = newestResult(request);
    if (found === undefined) return callTools(next);
    result = found;
    return sayText("Done.");
  });
  const callNext = (name: string, args: object): void => {
    next = { name, arguments: args as Readonly<Record<string, string>> };
    result = "";
  };
  return Object.assign(scene, {
    callNext,
    result: () => result,
    call: async (person: Person, place: "group" | "direct", name: string, args: object) => {
      callNext(name, args);
      await scene.say(person, "Do it.", place === "group" ? { chatId: GROUP } : {});
      return result;
    },
    tools: async (...args: readonly string[]) => {
      const { code, stdout, stderr } = await scene.command("tools", ...args);
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
      return stdout;
    },
  });
}

/** The text of the tool result that is the newest message. */
function newestResult({ body }: CapturedRequest): string | undefined {
  const messages = (body?.["messages"] ?? []) as readonly { readonly content: unknown }[];
  const blocks = messages.at(-1)?.content;
  const found = (Array.isArray(blocks) ? (blocks as readonly Record<string, unknown>[]) : []).find(({ type }) => type === "tool_result");
  return found === undefined ? undefined : JSON.stringify(found["content"]);
}

const write = { path: "note.txt", content: "x" };

test("toolsBySender narrows what single people have in a group, names the rule, and gives nothing", async () => {
  const group = {
    tools: { deny: ["find"] },
    toolsBySender: { ou_owner: {}, ou_anna: { allow: ["*"], deny: ["write"] }, "*": { allow: ["ls"] } },
  };
  await using scene = await startScene({ group });
  expect(await scene.call("ou_anna", "group", "write", write)).toContain("write was refused. Rule sender");
  expect(await scene.call("ou_anna", "group", "ls", {})).not.toContain("refused");
  expect(await scene.call("ou_anna", "group", "find", { pattern: "*" })).toContain("There is no tool called");
  expect(await scene.call("ou_bert", "group", "read", { path: "note.txt" })).toContain("Rule sender");
  expect(await scene.call("ou_bert", "group", "ls", {})).not.toContain("refused");
  expect(await scene.call("ou_owner", "group", "write", write)).not.toContain("refused");
  // In a direct chat nobody's tools are those of the group.
  expect(await scene.call("ou_anna", "direct", "write", write)).not.toContain("refused");
  // The block of a session is the same for everybody in it.
  expect(scene.request).toContain('"name":"write"');

  expect(await scene.tools("explain", "write", "--session", GROUP_SESSION, "--sender", "ou_anna")).toMatch(
    /^write: refused: toolsBySender\.ou_anna of the group: deny has write\n[^]*^sender +removes/m,
  );
  expect(await scene.tools("explain", "write", "--session", GROUP_SESSION)).toMatch(
    /^write: available\n[^]*message of the owner \(ou_owner\)/,
  );
  expect(await scene.tools("explain", "find", "--session", GROUP_SESSION)).toContain("find: not there: tools of the group: deny has find");
  const { tools } = JSON.parse(await scene.tools("list", "--session", GROUP_SESSION, "--sender", "ou_bert", "--json")) as {
    readonly tools: readonly { readonly name: string; readonly state: string }[];
  };
  // The two that carry calls of other tools run nothing that the rule takes away.
  expect(tools.filter(({ state }) => state === "available").map(({ name }) => name)).toEqual(["ls", "tool_call", "tool_search"]);
  expect(tools.length).toBeGreaterThan(10);
});

test("factotum tools names the rule for commands, the sandbox, an agent, and unknown tools", async () => {
  const agents = {
    defaults: { model: "anthropic/claude-sonnet-5-5" },
    list: [{ id: "main" }, { id: "team", tools: { profile: "messaging" } }],
  };
  await using scene = await startScene({ extra: { agents, tools: { deny: ["grep"], sandbox: { tools: { deny: ["exec"] } } } } });
  await scene.say("ou_owner", "hello", { chatId: GROUP });
  const list = await scene.tools("list");
  expect(list).toMatch(/^exec +needs your decision: tools\.exec\.mode is "ask"$/m);
  expect(list).toMatch(/^grep +not there: tools: deny has grep$/m);
  expect(list).toMatch(/^ls +available$/m);
  expect(await scene.tools("explain", "exec", "--session", GROUP_SESSION)).toContain("exec: not there: tools.sandbox.tools: deny has exec");
  expect(await scene.tools("explain", "READ", "--agent", "team")).toContain(
    "read: not there: tools of the agent team: the profile messaging",
  );
  expect(await scene.tools("explain", "canvas")).toContain("canvas: not loaded: this gateway has not loaded it");
  const unknown = await scene.command("tools", "explain", "raed");
  expect(unknown.code).not.toBe(0);
  expect(unknown.stderr).toContain('There is no tool "raed". Did you mean read?');
  expect((await scene.command("tools", "list", "--agent", "nobody")).stderr).toContain('There is no agent "nobody"');
  expect((await scene.command("tools", "list", "--agent", "main", "--session", "main")).stderr).toContain("exclude each other");
});

test("subagents.tools narrows the sessions of sub-agents, and no other", async () => {
  const defaults = { model: "anthropic/claude-sonnet-5-5", subagents: { tools: { deny: ["write"] } } };
  await using scene = await startScene({ extra: { agents: { defaults } } });
  const key = "agent:main:subagent:4b1f";
  const child = ["--session", key];
  // The session of a sub-agent of another gateway.
  await scene.command("agent", "--message", "Hello.");
  const file = join(scene.product.home, "exported.jsonl");
  for (const args of [
    ["export", "main", "--output", file],
    ["import", file, "--key", key],
  ])
    expect(await scene.command("sessions", ...args)).toMatchObject({ code: 0 });
  const callIn = async (...session: readonly string[]): Promise<string> => {
    scene.callNext("write", write);
    expect((await scene.command("agent", ...session, "--message", "Do it.")).stderr).toBe("");
    return scene.result();
  };
  expect(await callIn(...child)).toContain("There is no tool called");
  expect(scene.request).not.toContain('"name":"write","description"');
  expect(await scene.tools("explain", "write", ...child)).toMatch(
    /^write: not there: subagents\.tools of the agent main: deny has write\n[^]*^subagent +removes/m,
  );
  expect(await callIn()).toContain("note.txt");
  expect(scene.request).toContain('"name":"write","description"');
  expect(await scene.tools("explain", "write")).toMatch(/^write: available\n/);
});

test("/mode and /elevated are the owner's, hold over a restart, and factotum explains them", async () => {
  const elevated = { enabled: true, allowFrom: { feishu: ["ou_owner"] } };
  const extra = {
    agents: { defaults: { model: "anthropic/claude-sonnet-5-5", sandbox: { mode: "all" } } },
    tools: { exec: { mode: "full" }, elevated },
  };
  await using scene = await startScene({ extra });
  const command = { command: 'echo "user=$(id -un)"' };
  const host = (await scene.command("sandbox", "explain")).stdout;
  expect(host).toContain("elevated   off (/elevated on moves");
  expect(await scene.call("ou_owner", "direct", "exec", command)).toContain("user=sandbox");
  expect((await scene.say("ou_owner", "/elevated on"))[0]).toContain("your commands run on the host");
  expect(await scene.call("ou_owner", "direct", "exec", command)).toMatch(/user=(?!sandbox)\w+/);
  await scene.restart({}, "SIGKILL");
  expect(await scene.call("ou_owner", "direct", "exec", command)).toMatch(/user=(?!sandbox)\w+/);
  const explained = (await scene.command("sandbox", "explain")).stdout;
  expect(explained).toContain("elevated   on: the owner's commands of this session");
  expect(explained).toContain("the owner's commands run on the host, because /elevated is on; without it they run in a sandbox");
  expect(await scene.tools("explain", "exec")).toMatch(/^exec: available\n[^]*on the host \(\/elevated\)/);

  // A guest gets neither: their commands stay in the sandbox, and their words are no directive.
  await scene.say("ou_anna", "/elevated on", { count: 0 });
  await scene.say("ou_anna", "/mode full", { count: 0 });
  expect(await scene.call("ou_anna", "direct", "exec", command)).toContain("user=sandbox");
  // In a group each command of the owner on the host asks; the scene denies it.
  await scene.say("ou_owner", "/elevated on", { chatId: GROUP });
  expect(await scene.call("ou_owner", "group", "exec", command)).toContain("the owner denied it");
  expect(await scene.call("ou_anna", "group", "exec", command)).toContain("user=sandbox");

  expect((await scene.say("ou_owner", "/mode read-only"))[0]).toContain("mode read-only");
  expect(await scene.call("ou_owner", "direct", "write", write)).toContain("Rule mode");
  await scene.restart({}, "SIGTERM");
  expect(await scene.call("ou_owner", "direct", "exec", command)).toContain("Rule mode");
  expect(await scene.tools("explain", "write")).toContain("write: refused: the mode of the conversation is read-only (/mode)");
  expect((await scene.say("ou_owner", "/status"))[0]).toMatch(/Mode read-only[^]*Elevated on/);
});
