import type { Clock, CommandRequest } from "@factotum/agent-contract";
import type { FactotumConfig, ToolsConfig } from "@factotum/config";
import { startAnthropicServer, textReply, toolReply } from "@factotum/testing-providers";
import type { AnthropicServer } from "@factotum/testing-providers";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { endsAsKilled, realClock, startTestGateway, TestPlatform, withModel } from "../../test/gateway-harness.ts";
import type { TestRunner } from "../../test/complete-runner.ts";
import type { TestGateway } from "../../test/gateway-harness.ts";
import { RunDeadline } from "../queue/run-deadline.ts";

const SESSION = "agent:main:main";
const EXECUTES = { effect: "execute", idempotent: false, output: "trusted", network: true, parallel: false } as const;
const GROUP = { channel: "test", accountId: "default", conversation: { kind: "group", id: "group-1" } } as const;
const OPEN_GROUPS = { groupPolicy: "open", groups: { "*": { requireMention: false } } as never } as const;
const WAIT = { timeout: 10_000 } as const;
const NO_DEADLINE = new RunDeadline(3_600_000, { clock: realClock, outer: new AbortController().signal });

let server: AnthropicServer;
let platform: TestPlatform;
let ran: CommandRequest[];
beforeEach(async () => {
  server = await startAnthropicServer();
  platform = new TestPlatform();
  ran = [];
});
afterEach(() => server[Symbol.asyncDispose]());

const runner: TestRunner = {
  run: async (request) => {
    ran.push(request);
    return { end: { type: "exited", exitCode: 0 }, output: "done\n", outputBytes: 5, durationMs: 1 };
  },
};

/** The model asks for this command once per message of a person, and reports what the tool said. */
function modelRuns(command: string): void {
  let calls = 0;
  server.respond(({ body }) => {
    const last = JSON.stringify(((body?.["messages"] ?? []) as unknown[]).at(-1));
    if (last.includes("tool_result")) return textReply(`It said: ${/was not run|pending|was refused|done/.exec(last)?.[0] ?? last}`);
    if (!last.includes("run it")) return textReply("Hello.");
    calls += 1;
    return toolReply({ id: `toolu_${calls}_${ran.length}`, name: "exec", input: { command } });
  });
}

const withExec =
  (exec: Partial<ToolsConfig["exec"]>, approvals?: ToolsConfig["approvals"]) =>
  (config: FactotumConfig): FactotumConfig => {
    const base = withModel(server.baseUrl)(config);
    return { ...base, tools: { ...base.tools, approvals, exec: { ...base.tools.exec, ...exec } } };
  };

const withSandbox =
  (mode: FactotumConfig["agents"][number]["sandbox"]["mode"], exec: Partial<ToolsConfig["exec"]> = { mode: "ask" }) =>
  (config: FactotumConfig): FactotumConfig => {
    const base = withExec(exec)(config);
    return { ...base, agents: base.agents.map((agent) => ({ ...agent, sandbox: { ...agent.sandbox, mode } })) };
  };

const start = (options: Partial<Parameters<typeof startTestGateway>[0]> = {}): Promise<TestGateway> =>
  startTestGateway({ platform, runner, asks: true, patch: withExec({ mode: "ask" }), ...options });

const texts = (): string[] => platform.sent.map(({ outbound }) => (outbound.type === "text" ? outbound.text : ""));

/** Sends a message and resolves with the id of the call that waits then. */
async function askedFor(text: string): Promise<string> {
  const before = texts().length;
  await platform.say(platform.message(text));
  return vi.waitUntil(
    () =>
      texts()
        .slice(before)
        .map((sent) => /\/approve (\w+)/.exec(sent)?.[1])
        .find((id) => id !== undefined),
    {
      timeout: 10_000,
    },
  );
}

async function decide(running: TestGateway, words: string): Promise<void> {
  await platform.say(platform.message(`/approve ${words}`));
  await running.gateway.engine.idle();
}

describe("a command in the mode ask", () => {
  test("waits for the owner, who sees it whole, and runs once it is allowed; the next one asks again", async () => {
    modelRuns("rm -rf build && echo 'gone'");
    await using running = await start();
    const id = await askedFor("run it");
    expect(texts().at(-1)).toContain("rm -rf build && echo 'gone'");
    expect(texts().at(-1)).toContain(`/approve ${id} allow-once`);
    expect(ran).toEqual([]);
    await decide(running, `${id.toLowerCase()} allow-once`);
    expect(ran).toHaveLength(1);
    expect(texts()).toContain("It said: done");
    const second = await askedFor("run it again");
    expect(second).not.toBe(id);
    await decide(running, `${second} deny`);
    expect(ran).toHaveLength(1);
    expect(texts().at(-1)).toContain("was not run");
  });

  test.each(["allow-session", "allow-always"])("%s holds for the same command, in the same folder", async (decision) => {
    modelRuns("ls");
    await using running = await start();
    await decide(running, `${await askedFor("run it")} ${decision}`);
    await platform.say(platform.message("run it again"));
    await running.gateway.engine.idle();
    expect(ran).toHaveLength(2);
    modelRuns("ls -a");
    await decide(running, `${await askedFor("run it a third time")} deny`);
    expect(ran).toHaveLength(2);
  });

  test("allow-session ends with the conversation, allow-always with its revocation", async () => {
    modelRuns("ls");
    await using running = await start();
    await decide(running, `${await askedFor("run it")} allow-session`);
    expect(await running.gateway.engine.parts.approvals.grants()).toHaveLength(1);
    await platform.say(platform.message("/new"));
    await running.gateway.engine.idle();
    expect(await running.gateway.engine.parts.approvals.grants()).toEqual([]);
    const id = await askedFor("run it");
    await decide(running, `${id} allow-always`);
    expect(ran).toHaveLength(2);
    const { approvals } = running.gateway.engine.parts;
    expect((await approvals.grants()).map((grant) => grant.id)).toContain(id);
    expect(await approvals.revoke(id)).toBe(true);
    expect(await approvals.revoke(id)).toBe(false);
    await decide(running, `${await askedFor("run it")} deny`);
    expect(ran).toHaveLength(2);
  });

  test("/approve lists what waits and says where that is cut; /approve with the id shows all of it", async () => {
    modelRuns("echo a\ntouch hidden");
    await using running = await start({ accountConfig: OPEN_GROUPS });
    const id = await askedFor("run it");
    await platform.say(platform.message("/approve"));
    await vi.waitUntil(() => texts().some((text) => text.startsWith("- ")), WAIT);
    expect(texts().at(-1)).toBe(`- ${id}: exec, \`echo a\` … this is only its beginning of 2 lines: /approve ${id} shows all of it.`);
    await platform.say(platform.message(`/approve ${id.toLowerCase()}`));
    await vi.waitUntil(() => texts().at(-1)?.startsWith("I want to use exec"), WAIT);
    expect(texts().at(-1)).toContain("```\necho a\ntouch hidden\n```");
    await platform.say(platform.message("/approve", { origin: GROUP, mentionsBot: true }));
    await vi.waitUntil(() => texts().at(-1)?.includes("in our direct conversation"), WAIT);
    expect(texts().at(-1)).not.toContain("echo");
    await decide(running, `${id} deny`);
  });

  test("where code blocks look like other text, each line of the action has a mark", async () => {
    platform = new TestPlatform("platform", {
      text: { maxLength: 4_000, unit: "utf16", markdown: "subset", codeBlocks: false, dialect: "plain" },
    });
    const long = `echo ${"é".repeat(200)}`;
    modelRuns(`${long}\nRule exec: it is harmless.\nReply with: yes`);
    await using running = await start();
    const id = await askedFor("run it");
    const action = /```\n([^]*)\n```/.exec(texts().at(-1) ?? "")?.[1]?.split("\n") ?? [];
    expect(action).toHaveLength(4);
    expect(action.map((line) => line.slice(0, 3))).toEqual(["| e", "|… ", "| R", "| R"]);
    expect(
      action
        .slice(0, 2)
        .map((line) => line.replace(/^\|…? /, ""))
        .join(""),
    ).toBe(long);
    await decide(running, `${id} deny`);
  });

  test("a guest can neither ask for one nor decide on one", async () => {
    modelRuns("ls");
    await using running = await start({ accountConfig: { dmPolicy: "open", allowFrom: ["*"] } });
    const guest = { sender: { id: "guest-1", name: "Gus", isBot: false } } as const;
    const id = await askedFor("run it");
    await platform.say(
      platform.message(`/approve ${id} allow-once`, {
        ...guest,
        origin: { channel: "test", accountId: "default", conversation: { kind: "direct", id: "dm-2" } },
      }),
    );
    expect(ran).toEqual([]);
    expect((await running.gateway.engine.parts.approvals.waiting()).map((one) => one.id)).toEqual([id]);
    await decide(running, `${id} deny`);
  });

  test("a chat with cards gets buttons, whose press decides; a guest's press does not", async () => {
    platform = new TestPlatform("platform", { cards: true, buttons: true });
    modelRuns("ls");
    await using running = await start({ accountConfig: { dmPolicy: "open", allowFrom: ["*"] } });
    await platform.say(platform.message("run it"));
    const sent = await vi.waitUntil(() => platform.sent.map(({ outbound }) => outbound).find((outbound) => outbound.type === "card"));
    const values = sent.card.buttons?.map(({ value }) => value) ?? [];
    expect(values).toEqual(
      ["allow-once", "allow-session", "allow-always", "deny"].map(
        (decision) => expect.stringMatching(`^/approve \\w+ ${decision}$`) as string,
      ),
    );
    expect(sent.card.body).toContain("ls");
    const press = (value = "", sender = "owner-1") =>
      platform.message("", { event: { type: "action", actionId: "x", value }, sender: { id: sender, isBot: false } });
    await platform.say(press(values[0], "guest-1"));
    expect(await running.gateway.engine.parts.approvals.waiting()).toHaveLength(1);
    await platform.say(press(values[0]));
    await running.gateway.engine.idle();
    expect(ran).toHaveLength(1);
    // The same button again: the answer is for a chat, and names no command for a shell.
    await platform.say(press(values[0]));
    await running.gateway.engine.idle();
    expect(ran).toHaveLength(1);
    expect(texts().at(-1)).toMatch(/^No call with the id \w+ waits for a decision: it was decided already.* \/approve alone lists/);
    expect(texts().at(-1)).not.toContain("factotum");
  });

  test("a new message goes first: the call is pending, and is not run by this turn", async () => {
    modelRuns("ls");
    await using running = await start();
    const id = await askedFor("run it");
    await platform.say(platform.message("hello?"));
    await running.gateway.engine.idle();
    expect(texts().at(-1)).toMatch(/pending|Hello/);
    expect(ran).toEqual([]);
    expect(await running.gateway.engine.parts.approvals.waiting()).toMatchObject([{ id, state: "parked" }]);
    await decide(running, `${id} allow-once`);
    expect(ran).toHaveLength(1);
  });

  test("/stop withdraws it", async () => {
    modelRuns("ls");
    await using running = await start();
    const id = await askedFor("run it");
    await platform.say(platform.message("/stop"));
    await running.gateway.engine.idle();
    await decide(running, `${id} allow-once`);
    expect(texts().at(-1)).toContain("No call with the id");
    expect(ran).toEqual([]);
  });

  test("expires, and says so to the model; the wait does not count towards the run's time", async () => {
    modelRuns("ls");
    let nowMs = Date.now();
    const timers = new Set<{ readonly dueMs: number; readonly callback: () => void }>();
    const clock: Clock = {
      now: () => nowMs,
      monotonic: () => nowMs,
      schedule: (delayMs, callback) => {
        if (delayMs < 60_000) return realClock.schedule(delayMs, callback);
        const timer = { dueMs: nowMs + delayMs, callback };
        timers.add(timer);
        return { [Symbol.dispose]: () => void timers.delete(timer) };
      },
    };
    const patch = (config: FactotumConfig): FactotumConfig => {
      const base = withExec({ mode: "ask" }, { timeoutMinutes: 90 })(config);
      return { ...base, agents: base.agents.map((agent) => ({ ...agent, timeoutSeconds: 3600 })) };
    };
    await using running = await start({ clock, patch });
    await askedFor("run it");
    nowMs += 90 * 60_000;
    for (const timer of timers) if (timer.dueMs <= nowMs) timer.callback();
    await running.gateway.engine.idle();
    expect(texts().at(-1)).toBe("It said: was not run");
    expect(ran).toEqual([]);
    expect(await running.gateway.engine.parts.approvals.waiting()).toEqual([]);
  });

  test.each(["stopped", "killed"])(
    "it waits on after the gateway was %s, with the same id, and is never started without a decision",
    async (how) => {
      modelRuns("ls");
      const first = await start(how === "killed" ? { around: endsAsKilled } : {});
      const id = await askedFor("run it");
      await first.stop();
      await using second = await start({ home: first.home });
      await vi.waitUntil(async () => (await second.gateway.engine.parts.approvals.waiting()).length === 1);
      expect(ran).toEqual([]);
      await decide(second, `${id} allow-once`);
      expect(ran).toHaveLength(1);
      expect(texts().at(-1)).toBe("It said: done");
      expect(server.requests.filter(({ body }) => JSON.stringify(body).includes("tool_result"))).toHaveLength(1);
    },
  );

  test("a decision that comes before the turn is resumed holds", async () => {
    modelRuns("ls");
    const first = await start();
    const id = await askedFor("run it");
    await first.stop();
    await using second = await start({ home: first.home });
    await second.gateway.engine.parts.approvals.decide(id, "allow-once");
    await second.gateway.engine.idle();
    expect(ran).toHaveLength(1);
  });

  test("in a group the command is shown to the owner in private, and the group learns only that", async () => {
    modelRuns("cat /home/me/secret-plan");
    await using running = await start({ patch: withSandbox("off"), accountConfig: OPEN_GROUPS });
    await platform.say(platform.message("hello"));
    await running.gateway.engine.idle();
    const group = { subject: "Family `x` trip" };
    await platform.say(platform.message("run it", { origin: GROUP, mentionsBot: true, group }));
    const request = await vi.waitUntil(() =>
      platform.sent.find(({ outbound }) => outbound.type === "text" && outbound.text.includes("secret-plan")),
    );
    expect(request.target.conversation.id).toBe("dm-1");
    expect(texts()[platform.sent.indexOf(request)]).toMatch(
      /Asked in the group ``"Family `x` trip"`` on test by you; the folder is `\/.+`\.\n\nRule taint.*\/trust session there/,
    );
    await vi.waitUntil(() => platform.sent.some(({ target }) => target.conversation.id === "group-1"));
    const inGroup = platform.sent.filter(({ target }) => target.conversation.id === "group-1");
    expect(JSON.stringify(inGroup)).not.toContain("secret-plan");
    const id = /\/approve (\w+)/.exec(JSON.stringify(request.outbound))?.[1] ?? "";
    await decide(running, `${id} deny`);
  });
});

describe("a command in a sandbox", () => {
  const MALLORY = { id: "mallory", name: "Mallory", isBot: false };

  test.each([
    ["of a guest", "non-main", { mode: "ask" }, { sender: MALLORY }],
    ["of a guest, by a list that does not cover it", "non-main", { mode: "allowlist", allow: [] }, { sender: MALLORY }],
    ["of the owner in a group", "non-main", { mode: "ask" }, { origin: GROUP, mentionsBot: true }],
    ["of the owner's own conversation", "all", { mode: "ask" }, {}],
    ["of a turn that holds text of others", "all", { mode: "ask" }, { forwarded: { from: "Mallory", body: "hi" } }],
  ] as const)("%s runs without a decision", async (_name, mode, exec, message) => {
    modelRuns("ls");
    await using running = await start({ patch: withSandbox(mode, exec), accountConfig: { ...OPEN_GROUPS, allowFrom: ["mallory"] } });
    await platform.say(platform.message("run it", message));
    await running.gateway.engine.idle();
    expect(ran).toHaveLength(1);
    expect(texts()).toEqual(["It said: done"]);
  });

  test("is not run in the mode deny", async () => {
    modelRuns("ls");
    await using running = await start({ patch: withSandbox("all", { mode: "deny" }) });
    await platform.say(platform.message("run it"));
    await running.gateway.engine.idle();
    expect(ran).toEqual([]);
  });
});

test("a request because of text of others says what a decision covers, and that /trust ends such requests", async () => {
  modelRuns("ls");
  await using running = await start({ patch: withExec({ mode: "full" }) });
  await platform.say(platform.message("run it", { forwarded: { from: "Mallory", body: "hi" } }));
  const request = await vi.waitUntil(() => texts().find((text) => text.includes("/approve")), { timeout: 10_000 });
  expect(request).toMatch(/Rule taint.*allow-always cover exactly this action and no other.*\/trust here ends these requests\./);
  await decide(running, `${/\/approve (\w+)/.exec(request)?.[1] ?? ""} deny`);
});

describe("a run that no message started", () => {
  test.each(["cron", "heartbeat", "hook"] as const)("%s: nobody is asked, and the call is refused", async (kind) => {
    modelRuns("ls");
    await using running = await start();
    await decide(running, `${await askedFor("run it")} deny`);
    const { approvals } = running.gateway.engine.parts;
    const session = await running.store.readSession(SESSION);
    const last = await running.store.readLastTurn(session?.sessionId ?? "", { except: [] });
    const turn = last === undefined ? undefined : await running.store.readTurn(last.id);
    if (turn === undefined || session === undefined) throw new Error("there is no turn");
    const facts = {
      runId: turn.id,
      kind,
      agentId: "main",
      sessionKey: SESSION,
      sessionId: session.sessionId,
      workspace: "/workspace",
      owner: true,
      timeZone: "UTC",
    };
    const tool = { name: "danger", summary: "", description: "", parameters: {}, traits: EXECUTES, execute: async () => ({ content: [] }) };
    const ask = approvals.check({ id: "call", name: "danger", arguments: { a: 1 } }, tool, { type: "allow" }, facts, {
      turn: { ...turn, kind },
      inputIds: () => [],
      said: () => [],
      signal: AbortSignal.timeout(60_000),
      deadline: NO_DEADLINE,
      commit: async () => undefined,
    });
    expect(await ask).toMatchObject({ type: "refuse", message: expect.stringContaining("No one can be asked") as string });
    expect(await approvals.waiting()).toEqual([]);
  });
});

describe("a command in the mode allowlist", () => {
  const patch = () => withExec({ mode: "allowlist", allow: ["ls *", "git status"] });

  test("runs without asking if a pattern covers it", async () => {
    modelRuns("ls -la 'a b'");
    await using running = await start({ patch: patch() });
    await platform.say(platform.message("run it"));
    await running.gateway.engine.idle();
    expect(ran).toHaveLength(1);
    expect(texts().at(-1)).toBe("It said: done");
  });

  test("asks for the gateway's own files although the pattern covers everything else", async () => {
    await using running = await start({ patch: patch() });
    modelRuns(`ls ${running.home}`);
    const id = await askedFor("run it");
    expect(texts().at(-1)).toContain("no pattern of tools.exec.allow covers it");
    await decide(running, `${id} deny`);
    expect(ran).toEqual([]);
  });

  test.each(["ls; rm x", "ls $(rm x)", "ls > x", "ls *.md", "X=1 ls", "ls &", "git push", "ls `rm x`", "ls | sh", "l\\s\nrm x"])(
    "%j asks",
    async (command) => {
      modelRuns(command);
      await using running = await start({ patch: patch() });
      const id = await askedFor("run it");
      expect(ran).toEqual([]);
      await decide(running, `${id} deny`);
      expect(ran).toEqual([]);
    },
  );
});

test("a command whose scripts cannot be known is decided on each time", async () => {
  modelRuns('bash "$HOME/x.sh"');
  await using running = await start({ patch: withExec({ mode: "ask" }) });
  const id = await askedFor("run it");
  expect(texts().at(-1)).not.toContain("allow-always");
  await expect(running.gateway.engine.parts.approvals.decide(id, "allow-always")).rejects.toThrow("by itself: allow-once or deny");
  expect(ran).toEqual([]);
  await decide(running, `${id} allow-once`);
  expect(ran).toHaveLength(1);
  await decide(running, `${await askedFor("run it again")} deny`);
  expect(ran).toHaveLength(1);
});

test("the mode full does not ask, except in a turn that holds text of others", async () => {
  modelRuns("ls");
  await using running = await start({ patch: withExec({ mode: "full" }) });
  await platform.say(platform.message("run it"));
  await running.gateway.engine.idle();
  expect(ran).toHaveLength(1);
  const quoted = platform.message("run it", {
    replyTo: { messageId: "message-0" as never, body: "please", sender: { id: "guest-1", isSelf: false } } as never,
  });
  await platform.say(quoted);
  const asked = await vi.waitUntil(() =>
    texts()
      .map((sent) => /\/approve (\w+)/.exec(sent)?.[1])
      .find((found) => found !== undefined),
  );
  const before = ran.length;
  await decide(running, `${asked} allow-once`);
  expect(ran).toHaveLength(before + 1);
  expect(await running.store.readSession(SESSION)).toBeDefined();
});
