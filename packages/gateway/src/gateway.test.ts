import { mkdir, mkdtemp, readFile, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { FactotumConfig } from "@factotum/config";
import { createGate, isPrefixOf, startAnthropicServer, textReply, toolReply } from "@factotum/testing-providers";
import { describe, expect, test } from "vitest";
import type { TestRunner } from "../test/complete-runner.ts";
import { startTestGateway, TestPlatform, withModel } from "../test/gateway-harness.ts";

describe("the way of a message", () => {
  test("a message of the owner is answered in its conversation, with tools run on the way", async () => {
    await using server = await startAnthropicServer();
    server.script([toolReply({ name: "write", input: { path: "hello.txt", content: "good morning" } }), textReply("Done.")]);
    const platform = new TestPlatform();
    await using running = await startTestGateway({ platform, patch: withModel(server.baseUrl) });
    const message = platform.message("Write hello.txt, please");
    expect(await platform.say(message)).toBe("accepted");
    await platform.waitForSends(1);
    expect(platform.sent).toMatchObject([
      { target: message.origin, outbound: { type: "text", text: "Done.", replyTo: message.messageId } },
    ]);
    expect(await readFile(path.join(running.home, "workspace", "hello.txt"), "utf8")).toBe("good morning");
    expect(server.violations).toEqual([]);
    const [first = {}, second = {}] = server.requests.map(({ body }) => body);
    expect(isPrefixOf(first, second)).toBe(true);
    expect(JSON.stringify(second)).toContain("Wrote hello.txt (12 bytes)");
    expect(running.logger.lines.join("\n")).not.toContain("sk-test-secret");
  });

  test("an event is answered once, and not again after a restart", async () => {
    await using server = await startAnthropicServer();
    server.respond(() => textReply("Once."));
    const platform = new TestPlatform();
    const message = platform.message("hello");
    const first = await startTestGateway({ platform, patch: withModel(server.baseUrl) });
    const answers = await Promise.all(Array.from({ length: 20 }, async () => platform.say(message)));
    expect(answers.filter((answer) => answer === "accepted")).toHaveLength(1);
    await platform.waitForSends(1);
    await first.stop();
    await using second = await startTestGateway({ platform, home: first.home, patch: withModel(server.baseUrl) });
    expect(await platform.say(message)).toBe("duplicate");
    await second.stop();
    expect(platform.sent).toHaveLength(1);
    expect(server.requests).toHaveLength(1);
  });

  test("a session replays its requests byte for byte, also after a restart", async () => {
    await using server = await startAnthropicServer();
    server.respond(() => textReply("Yes."));
    const platform = new TestPlatform();
    const first = await startTestGateway({ platform, patch: withModel(server.baseUrl) });
    for (const [index, text] of ["one", "two"].entries()) {
      await platform.say(platform.message(text));
      await platform.waitForSends(index + 1);
    }
    await first.stop();
    await using second = await startTestGateway({ platform, home: first.home, patch: withModel(server.baseUrl) });
    await platform.say(platform.message("three"));
    await platform.waitForSends(3);
    await second.stop();
    const bodies = server.requests.map(({ body }) => body);
    expect(bodies).toHaveLength(3);
    for (const [index, body] of bodies.slice(1).entries()) expect(isPrefixOf(bodies[index] ?? {}, body ?? {})).toBe(true);
    expect(server.violations).toEqual([]);
  });

  test("a turn that was interrupted by a shutdown is resumed at the next start, without running a finished tool again", async () => {
    await using server = await startAnthropicServer();
    server.script([toolReply({ name: "write", input: { path: "a.txt", content: "1" } })]);
    const platform = new TestPlatform();
    const first = await startTestGateway({ platform, patch: withModel(server.baseUrl) });
    await platform.say(platform.message("write"));
    await server.nextRequest();
    const gate = server.hold();
    await server.nextRequest();
    await first.stop();
    gate.open();
    expect(platform.sent).toEqual([]);
    server.respond(() => textReply("It is written."));
    await using second = await startTestGateway({ platform, home: first.home, patch: withModel(server.baseUrl) });
    await platform.waitForSends(1);
    await second.stop();
    expect(platform.sent).toMatchObject([{ outbound: { text: "It is written." } }]);
    const results = JSON.stringify(server.requests.at(-1)?.body).match(/Wrote a\.txt/g);
    expect(results).toHaveLength(1);
    expect(server.violations).toEqual([]);
  });

  test("an answer that was interrupted by a shutdown is requested again, and delivered", async () => {
    await using server = await startAnthropicServer();
    const gate = createGate();
    server.script([
      { type: "message", content: [{ type: "text", text: "word ".repeat(500) }], fault: { type: "stall", afterBytes: 6_000, until: gate } },
    ]);
    const platform = new TestPlatform();
    const reached = Promise.withResolvers<void>();
    const first = await startTestGateway({
      platform,
      patch: withModel(server.baseUrl),
      crashPoint: (point) => (point === "mid-stream" ? reached.resolve() : undefined),
    });
    await platform.say(platform.message("hi"));
    await reached.promise;
    await first.stop();
    gate.open();
    server.respond(() => textReply("The whole answer."));
    await using second = await startTestGateway({ platform, home: first.home, patch: withModel(server.baseUrl) });
    await platform.waitForSends(1);
    await second.stop();
    expect(platform.sent).toMatchObject([{ outbound: { text: "The whole answer." } }]);
    expect(JSON.stringify(server.requests.at(-1)?.body?.["messages"])).not.toContain("word word");
    expect(server.violations).toEqual([]);
  });

  test("messages that wait behind a turn survive a restart, in order", async () => {
    await using server = await startAnthropicServer();
    const gate = server.hold();
    const platform = new TestPlatform();
    const first = await startTestGateway({ platform, patch: withModel(server.baseUrl) });
    for (let index = 0; index < 10; index += 1) await platform.say(platform.message(`message ${index}`));
    await server.nextRequest();
    await first.stop();
    gate.open();
    server.respond((request) =>
      textReply(
        `answer ${JSON.stringify(request.body?.["messages"])
          .match(/message \d/g)
          ?.at(-1)}`,
      ),
    );
    await using second = await startTestGateway({ platform, home: first.home, patch: withModel(server.baseUrl) });
    await platform.waitForSends(10);
    await second.stop();
    expect(platform.sent.map(({ outbound }) => (outbound.type === "text" ? outbound.text : ""))).toEqual(
      Array.from({ length: 10 }, (_, index) => `answer message ${index}`),
    );
  });

  test("a failed run tells the person what to do, and the next message runs", async () => {
    await using server = await startAnthropicServer();
    server.script([{ type: "error", errorType: "authentication_error", message: "invalid x-api-key" }, textReply("Now it works.")]);
    const platform = new TestPlatform();
    await using _running = await startTestGateway({ platform, patch: withModel(server.baseUrl) });
    await platform.say(platform.message("hello"));
    await platform.waitForSends(1);
    await platform.say(platform.message("again"));
    await platform.waitForSends(2);
    expect(platform.sent).toMatchObject([
      { outbound: { text: expect.stringContaining("refused the key") } },
      { outbound: { text: "Now it works." } },
    ]);
  });

  test("silence sends nothing, and the conversation continues", async () => {
    await using server = await startAnthropicServer();
    server.script([textReply("NO_REPLY"), textReply("Here.")]);
    const platform = new TestPlatform();
    await using _running = await startTestGateway({ platform, patch: withModel(server.baseUrl) });
    await platform.say(platform.message("for your information"));
    await platform.say(platform.message("are you there?"));
    await platform.waitForSends(1);
    expect(platform.sent).toMatchObject([{ outbound: { text: "Here." } }]);
  });

  test("a message that the message tool has sent is not sent twice", async () => {
    await using server = await startAnthropicServer();
    server.script([toolReply({ name: "message", input: { action: "send", message: "On my way." } }), textReply("On my way.")]);
    const platform = new TestPlatform();
    await using running = await startTestGateway({ platform, patch: withModel(server.baseUrl) });
    await platform.say(platform.message("come"));
    await server.nextRequest();
    await server.nextRequest();
    await running.gateway.engine.idle();
    expect(platform.sent.map(({ outbound }) => outbound)).toEqual([{ type: "text", text: "On my way." }]);
  });

  test("/stop ends a run, drops waiting messages, and is answered at once", async () => {
    await using server = await startAnthropicServer();
    const gate = server.hold();
    const platform = new TestPlatform();
    await using _running = await startTestGateway({ platform, patch: withModel(server.baseUrl) });
    await platform.say(platform.message("a long task"));
    await platform.say(platform.message("and another"));
    await server.nextRequest();
    await platform.say(platform.message("/stop"));
    await server.nextAborted();
    await platform.waitForSends(1);
    gate.open();
    expect(platform.sent).toMatchObject([{ outbound: { text: "Stopped what I was working on, and dropped 1 waiting message." } }]);
    expect(server.requests).toHaveLength(1);
  });

  test("/new starts a conversation without the old one, which is kept", async () => {
    await using server = await startAnthropicServer();
    server.respond(() => textReply("Yes."));
    const platform = new TestPlatform();
    await using running = await startTestGateway({ platform, patch: withModel(server.baseUrl) });
    await platform.say(platform.message("the word is swordfish"));
    await platform.waitForSends(1);
    const before = await running.store.readSession("agent:main:main");
    await platform.say(platform.message("/new"));
    await platform.say(platform.message("what was the word?"));
    await platform.waitForSends(3);
    expect(server.requests).toHaveLength(2);
    expect(JSON.stringify(server.requests[1]?.body)).toContain("has started a new conversation");
    expect(JSON.stringify(server.requests.at(-1)?.body)).not.toContain("swordfish");
    const old = await running.store.readTranscript(before?.sessionId ?? "", { limit: 10 });
    expect(JSON.stringify(old.items)).toContain("swordfish");
  });
});

describe("the workspace in a session's prompt", () => {
  /** All text of a request. */
  const textOf = (body: unknown): string => JSON.stringify(body);

  test("includes its bootstrap files, and private memory only in a private session", async () => {
    await using server = await startAnthropicServer();
    server.respond(() => textReply("Yes."));
    const platform = new TestPlatform();
    const home = await mkdtemp(path.join(tmpdir(), "factotum-gateway-"));
    const workspace = path.join(home, "workspace");
    await mkdir(workspace);
    await writeFile(path.join(workspace, "AGENTS.md"), "Always greet in verse.");
    await writeFile(path.join(workspace, "IDENTITY.md"), "- Name: Ada");
    await writeFile(path.join(workspace, "MEMORY.md"), "The safe opens with 4711.");
    await using _running = await startTestGateway({
      platform,
      home,
      accountConfig: { allowFrom: ["guest-1"] },
      patch: withModel(server.baseUrl),
    });
    await platform.say(platform.message("hello"));
    await platform.waitForSends(1);
    const first = textOf(server.requests[0]?.body?.["system"]);
    for (const text of ["Ada", "Always greet in verse.", "4711"]) expect(first).toContain(text);
    await platform.say(platform.message("hello", { sender: { id: "guest-1", isBot: false } }));
    await platform.waitForSends(2);
    const second = textOf(server.requests[1]?.body?.["system"]);
    expect(second).toContain("Always greet in verse.");
    expect(second).not.toContain("4711");
  });

  test("changes only at a named cause and is announced once; a restart in between changes nothing", async () => {
    await using server = await startAnthropicServer();
    server.respond(() => textReply("Yes."));
    const platform = new TestPlatform();
    const home = await mkdtemp(path.join(tmpdir(), "factotum-gateway-"));
    const file = path.join(home, "workspace", "AGENTS.md");
    await mkdir(path.dirname(file));
    await writeFile(file, "Old rules.");
    await utimes(file, 1000, 1000);
    let running = await startTestGateway({ platform, home, patch: withModel(server.baseUrl) });
    await platform.say(platform.message("one"));
    await platform.waitForSends(1);
    await writeFile(file, "New rules.");
    await running.stop();
    running = await startTestGateway({ platform, home, patch: withModel(server.baseUrl) });
    for (let count = 2; count <= 4; count += 1) {
      await platform.say(platform.message("again"));
      await platform.waitForSends(count);
    }
    await platform.say(platform.message("/new"));
    await platform.say(platform.message("afresh"));
    await platform.waitForSends(6);
    await running[Symbol.asyncDispose]();
    const bodies = server.requests.map(({ body }) => body ?? {});
    for (let index = 1; index < 4; index += 1) expect(isPrefixOf(bodies[index - 1] ?? {}, bodies[index] ?? {})).toBe(true);
    expect(textOf(bodies[3]).match(/File changed: AGENTS\.md/g)).toHaveLength(1);
    expect(textOf(bodies[1])).toContain("File changed: AGENTS.md");
    expect(textOf(bodies[3])).not.toContain("New rules.");
    expect(textOf(bodies[4])).toContain("New rules.");
    expect(server.violations).toEqual([]);
  });
});

describe("authority", () => {
  test("a stranger's message is neither shown to the model nor answered", async () => {
    await using server = await startAnthropicServer();
    server.respond(() => textReply("Hello, owner."));
    const platform = new TestPlatform();
    await using running = await startTestGateway({ platform, accountConfig: { dmPolicy: "allowlist" }, patch: withModel(server.baseUrl) });
    await platform.say(platform.message("let me in", { sender: { id: "stranger", name: "Olga", isBot: false } }));
    await platform.say(platform.message("hello"));
    await platform.waitForSends(1);
    expect(server.requests).toHaveLength(1);
    expect(JSON.stringify(server.requests[0]?.body)).not.toContain("let me in");
    expect(running.logger.lines.join("\n")).not.toContain("let me in");
  });

  test("a guest's command is given to the sandbox, and their files are in a folder of their own", async () => {
    await using server = await startAnthropicServer();
    server.script([
      toolReply({ name: "exec", input: { command: "id" } }, { name: "write", input: { path: "note.txt", content: "x" } }),
      textReply("Done."),
    ]);
    const platform = new TestPlatform();
    const ran: unknown[] = [];
    const runner: TestRunner = {
      run: (_request, { run }) => {
        ran.push(run.sandbox);
        return Promise.resolve({ end: { type: "exited", exitCode: 0 }, output: "", outputBytes: 0, durationMs: 1 });
      },
    };
    await using running = await startTestGateway({
      platform,
      runner,
      accountConfig: { allowFrom: ["guest-1"] },
      patch: withModel(server.baseUrl),
    });
    await platform.say(platform.message("run id", { sender: { id: "guest-1", isBot: false } }));
    await platform.waitForSends(1);
    expect(ran).toEqual([{ workspaceAccess: "none", shared: true }]);
    await expect(readFile(path.join(running.home, "workspace", "note.txt"))).rejects.toThrow("ENOENT");
  });

  test("group messages before a mention are included with it", async () => {
    await using server = await startAnthropicServer();
    server.respond(() => textReply("Noted."));
    const platform = new TestPlatform();
    await using _running = await startTestGateway({
      platform,
      accountConfig: { groups: { "group-1": { requireMention: true } } },
      patch: withModel(server.baseUrl),
    });
    const origin = { channel: "test", accountId: "default", conversation: { kind: "group" as const, id: "group-1" } };
    await platform.say(platform.message("lunch at noon", { origin, sender: { id: "u2", name: "Ben", isBot: false } }));
    await platform.say(platform.message("did you hear?", { origin, mentionsBot: true }));
    await platform.waitForSends(1);
    expect(server.requests).toHaveLength(1);
    const sent = JSON.stringify(server.requests[0]?.body);
    expect(sent).toContain("lunch at noon");
    expect(platform.sent).toMatchObject([{ target: origin }]);
  });
});

describe("which model answers", () => {
  test("a fallback answers if a model fails, with one notice, and nothing is sent twice", async () => {
    await using server = await startAnthropicServer();
    await using spare = await startAnthropicServer();
    server.respond(() => ({ type: "error", errorType: "authentication_error", message: "no" }));
    spare.respond(() => textReply("I help out."));
    const platform = new TestPlatform();
    const patch = (config: FactotumConfig): FactotumConfig => {
      const base = withModel(server.baseUrl)(config);
      const provider = {
        api: "anthropic-messages" as const,
        baseUrl: spare.baseUrl,
        apiKey: { type: "literal" as const, value: "sk-spare" },
        credentials: {},
        models: [],
        timeouts: {},
      };
      return {
        ...base,
        agents: base.agents.map((agent) => ({
          ...agent,
          model: { primary: "anthropic/claude-sonnet-5-5", fallbacks: ["nowhere/at-all", "spare/claude-sonnet-5-5"] },
        })),
        models: { ...base.models, providers: { ...base.models.providers, spare: provider } },
      };
    };
    await using running = await startTestGateway({ platform, patch });
    await platform.say(platform.message("one"));
    await platform.waitForSends(1);
    await platform.say(platform.message("two"));
    await platform.waitForSends(2);
    expect(platform.sent.map(({ outbound }) => (outbound.type === "text" ? outbound.text : ""))).toEqual([
      "I help out.\n\n_spare/claude-sonnet-5-5 answered, because anthropic/claude-sonnet-5-5 could not (unauthorized)._",
      "I help out.",
    ]);
    expect(server.requests).toHaveLength(1);
    expect([...server.violations, ...spare.violations]).toEqual([]);
    expect(running.logger.lines.join("\n")).not.toContain("sk-spare");
  });

  test("a window that is too small for an agent is refused before anything is sent", async () => {
    await using server = await startAnthropicServer();
    const platform = new TestPlatform();
    const patch = (config: FactotumConfig): FactotumConfig => {
      const base = withModel(server.baseUrl)(config);
      const anthropic = base.models.providers["anthropic"];
      if (anthropic === undefined) throw new Error("no provider");
      return {
        ...base,
        models: { ...base.models, providers: { anthropic: { ...anthropic, models: [{ id: "claude-sonnet-5-5", contextWindow: 8000 }] } } },
      };
    };
    await using running = await startTestGateway({ platform, patch });
    await platform.say(platform.message("one"));
    await platform.waitForSends(1);
    expect(server.requests).toEqual([]);
    expect((await running.gateway.status()).agents[0]?.modelProblem).toContain("8000");
  });

  test("over the cap unattended work is refused before it is sent, and a person is answered", async () => {
    await using server = await startAnthropicServer();
    server.respond(() => textReply("Here I am."));
    const platform = new TestPlatform();
    const patch = (config: FactotumConfig): FactotumConfig => ({
      ...withModel(server.baseUrl)(config),
      spend: { ...config.spend, unattended: { tokensPerDay: 1, usdPerDay: 1 } },
    });
    await using running = await startTestGateway({ platform, patch });
    const beat = async (): Promise<void> => {
      const message = platform.message("anything new?", {
        origin: { channel: "cli", accountId: "default", conversation: { kind: "direct", id: "agent:main:heartbeat" } },
      });
      await running.gateway.engine.submit(message, { owner: true, kind: "heartbeat", sessionKey: "agent:main:heartbeat" });
      await running.gateway.engine.idle();
    };
    await beat();
    await beat();
    expect(server.requests).toHaveLength(1);
    await platform.say(platform.message("are you there?"));
    await platform.waitForSends(1);
    expect(platform.sent).toMatchObject([{ outbound: { text: "Here I am." } }]);
    expect(
      (await running.store.readSpend(new Date().toISOString().slice(0, 10), "main")).map(({ cause, calls }) => [cause, calls]),
    ).toEqual([
      ["heartbeat", 1],
      ["user", 1],
    ]);
  });

  test("a model that repeats one call is stopped, and the person is notified", async () => {
    await using server = await startAnthropicServer();
    server.respond(() => toolReply({ name: "ls", input: { path: "." } }));
    const platform = new TestPlatform();
    await using _running = await startTestGateway({ platform, patch: withModel(server.baseUrl) });
    await platform.say(platform.message("look"));
    await platform.waitForSends(1);
    expect(server.requests).toHaveLength(5);
    expect(platform.sent).toMatchObject([{ outbound: { text: expect.stringContaining("repeating the same step") } }]);
  });
});

describe("delivery", () => {
  test("a part that was rejected temporarily is sent again under the same key, before later ones", async () => {
    await using server = await startAnthropicServer();
    server.script([textReply("first"), textReply("second")]);
    const platform = new TestPlatform();
    platform.receipts = [{ type: "rejected", code: "rate-limited", retry: { type: "after", delayMs: 20 } }];
    await using _running = await startTestGateway({ platform, patch: withModel(server.baseUrl) });
    await platform.say(platform.message("one"));
    await platform.say(platform.message("two"));
    await platform.waitForSends(2);
    expect(platform.sent.map(({ outbound }) => (outbound.type === "text" ? outbound.text : ""))).toEqual(["first", "second"]);
  });

  test("a message that can never be delivered becomes a dead letter, and the transcript says so", async () => {
    await using server = await startAnthropicServer();
    server.script([textReply("first")]);
    const platform = new TestPlatform();
    platform.receipts = [{ type: "rejected", code: "forbidden", retry: { type: "never" }, message: "the bot was removed" }];
    await using running = await startTestGateway({ platform, patch: withModel(server.baseUrl) });
    await platform.say(platform.message("one"));
    await server.nextRequest();
    await running.gateway.engine.idle();
    expect((await running.gateway.status()).outbox).toMatchObject({ waiting: 0, deadLettered: 1, ambiguous: 0 });
    const { entries } = await running.gateway.engine.sessions.history("agent:main:main", { limit: 10 });
    expect(entries.at(-1)).toMatchObject({ type: "notice", level: "error", text: expect.stringContaining("could not be delivered") });
  });
  test("a message whose content is rejected is reported in the chat, once for all of its parts and not for the gateway's own messages", async () => {
    await using server = await startAnthropicServer();
    server.script([textReply("x".repeat(9_000))]);
    const platform = new TestPlatform();
    const refusal = { type: "rejected", code: "rejected", retry: { type: "never" } } as const;
    // Three parts, each as a reply and then, for the first, as a message of its own; then the notice is accepted.
    platform.receipts = Array.from({ length: 4 }, () => refusal);
    await using running = await startTestGateway({ platform, patch: withModel(server.baseUrl) });
    await platform.say(platform.message("one"));
    await platform.waitForSends(1);
    await running.gateway.engine.idle();
    expect(platform.sent).toMatchObject([{ outbound: { text: expect.stringContaining("could not be sent here") } }]);
    expect((await running.gateway.status()).outbox).toMatchObject({ waiting: 0, deadLettered: 3, ambiguous: 0 });
  });
});
