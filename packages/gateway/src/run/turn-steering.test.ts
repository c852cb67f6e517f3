import { writeFile } from "node:fs/promises";
import path from "node:path";
import type { FactotumConfig } from "@factotum/config";
import { StoreError } from "@factotum/store";
import type { Store } from "@factotum/store";
import { isPrefixOf, startAnthropicServer, textReply, toolReply } from "@factotum/testing-providers";
import type { AnthropicServer } from "@factotum/testing-providers";
import { afterEach, beforeEach, expect, test } from "vitest";
import { endsAsKilled, startTestGateway, TestPlatform, withMethods, withModel } from "../../test/gateway-harness.ts";
import type { TestRunner } from "../../test/complete-runner.ts";
import type { TestGateway } from "../../test/gateway-harness.ts";

const SESSION = "agent:main:main";
const OTHER = { id: "other", name: "Otto", isBot: false };
const LOOK = toolReply({ name: "ls", input: {} });

let server: AnthropicServer;
let platform: TestPlatform;
beforeEach(async () => {
  server = await startAnthropicServer();
  platform = new TestPlatform();
});
afterEach(() => server[Symbol.asyncDispose]());

/** A conversation that two owners share, with a small window that a few pages fill. */
const shared = (config: FactotumConfig): FactotumConfig => {
  const base = withModel(server.baseUrl)(config);
  const { anthropic } = base.models.providers;
  if (anthropic === undefined) throw new Error("no provider");
  const models = [{ id: "claude-sonnet-5-5", contextWindow: 20_000, maxOutput: 1000 }];
  return {
    ...base,
    commands: { ...base.commands, ownerAllowFrom: ["test:owner-1", "test:other"] },
    session: { ...base.session, sharedMain: true },
    models: { ...base.models, providers: { anthropic: { ...anthropic, models } } },
  };
};

const start = (): Promise<TestGateway> => startTestGateway({ platform, patch: shared, accountConfig: { allowFrom: ["owner-1", "other"] } });

const sentTexts = (): readonly string[] => platform.sent.map(({ outbound }) => (outbound.type === "text" ? outbound.text : ""));
const messagesOf = (index: number): string => JSON.stringify(server.requests.at(index)?.body?.["messages"]);

/** Sends the first message, and the others during its model request. */
async function sayDuring(running: TestGateway, first: string, meanwhile: () => Promise<void>): Promise<void> {
  const gate = server.hold();
  await platform.say(platform.message(first, { sender: OTHER }));
  await server.nextRequest();
  await meanwhile();
  gate.open();
  await running.gateway.engine.idle();
}

test("a steered message is in all later requests of its turn, at its position", async () => {
  server.script([LOOK, textReply("Both."), textReply("Yes.")]);
  await using running = await start();
  await sayDuring(running, "one", async () => void (await platform.say(platform.message("two"))));
  await platform.say(platform.message("three"));
  await running.gateway.engine.idle();
  expect(sentTexts()).toEqual(["Both.", "Yes."]);
  expect(messagesOf(-1).split("two")).toHaveLength(2);
  expect(isPrefixOf(server.requests[1]?.body ?? {}, server.requests[2]?.body ?? {})).toBe(true);
});

test("a message whose sender is no longer the owner is not steered into an owner's turn, but answered in a guest turn of its own", async () => {
  server.script([LOOK, textReply("One."), textReply("Two.")]);
  await using running = await start();
  await sayDuring(running, "one", async () => {
    await platform.say(platform.message("two"));
    const { config } = running.gateway.engine.parts.running;
    await running.gateway.reload(running.settings({ ...config, commands: { ...config.commands, ownerAllowFrom: ["test:other"] } }));
  });
  expect(sentTexts()).toEqual(["One.", "Two."]);
  expect(messagesOf(1)).not.toContain("two");
  expect(messagesOf(2)).toContain(String.raw`\"owner\":false`);
});

test("a message that cannot be prepared for steering does not block others, and its own turn reports the failure to its sender", async () => {
  server.script([LOOK, textReply("Done.")]);
  await using running = await start();
  // No file can be stored when a file occupies the folder's path.
  await writeFile(path.join(running.home, "media"), "");
  await sayDuring(running, "one", async () => {
    await platform.say(platform.message("two"));
    await platform.say(platform.message("lorem ipsum ".repeat(8_000)));
    await platform.say(platform.message("/status"));
  });
  expect(messagesOf(1)).toContain("two");
  expect(messagesOf(1)).not.toContain("lorem");
  expect(sentTexts()).toContain("Done.");
  expect(sentTexts().filter((text) => text.includes("Something went wrong"))).toHaveLength(1);
  const warnings = running.logger.lines.filter((line) => line.includes("could not be steered into a turn"));
  expect(warnings.length).toBeGreaterThanOrEqual(1);
  for (const line of warnings) expect(line).toMatch(/"level":"warn".*"inputId":"i\d+".*"error":"/);
});

test("a message that is being prepared when its turn is stopped waits in the queue, without a log line", async () => {
  server.script([LOOK, textReply("Two.")]);
  await using running = await start();
  const fetching = Promise.withResolvers<void>();
  let hangs = 1;
  const file = platform.attachment(async () => {
    fetching.resolve();
    return hangs-- > 0 ? new Promise<never>(() => undefined) : new Uint8Array();
  });
  const gate = server.hold();
  await platform.say(platform.message("one", { sender: OTHER }));
  await server.nextRequest();
  await platform.say(platform.message("two", { attachments: [file] }));
  gate.open();
  await fetching.promise;
  await running.gateway.engine.sessions.stopper.stop(SESSION, { queued: false, reason: "you asked me to stop" });
  await running.gateway.engine.idle();
  expect(sentTexts()).toContain("Two.");
  expect(running.logger.lines.filter((line) => line.includes("could not be steered into a turn"))).toEqual([]);
});

test("a tool call is authorized for every sender of its turn", async () => {
  await using running = await start();
  server.respond(async ({ index }) => {
    if (index === 0) return LOOK;
    if (index === 2) return textReply("Well.");
    const { config } = running.gateway.engine.parts.running;
    await running.gateway.reload(running.settings({ ...config, commands: { ...config.commands, ownerAllowFrom: ["test:other"] } }));
    return toolReply({ name: "write", input: { path: "a.txt", content: "1" } });
  });
  await sayDuring(running, "one", async () => void (await platform.say(platform.message("two"))));
  expect(messagesOf(1)).toContain("two");
  expect(messagesOf(2)).toContain("write was refused. Rule owner");
});

test("a steered message of another sender narrows the rest of its turn in a group, and gives nothing", async () => {
  const groups = { g: { requireMention: false, toolsBySender: { other: { deny: ["read"] }, "owner-1": { deny: ["write"] } } } };
  await using running = await startTestGateway({ platform, patch: shared, accountConfig: { allowFrom: ["owner-1", "other"], groups } });
  const origin = { channel: "test", accountId: "default", conversation: { kind: "group" as const, id: "g" } };
  const write = toolReply({ name: "write", input: { path: "a.txt", content: "1" } });
  server.script([write, LOOK, write, toolReply({ name: "read", input: { path: "a.txt" } }), textReply("Well.")]);
  await platform.say(platform.message("one", { sender: OTHER, origin }));
  await server.nextRequest();
  const gate = server.hold();
  await server.nextRequest();
  await platform.say(platform.message("two", { origin }));
  gate.open();
  await running.gateway.engine.idle();
  expect(messagesOf(2)).toContain("two");
  expect(messagesOf(2)).not.toContain("refused");
  expect(messagesOf(3)).toContain("write was refused. Rule sender");
  expect(messagesOf(4)).toContain("read was refused. Rule sender");
});

test("a message that arrives while a killed turn resumes its calls is steered into it, after their results", async () => {
  const exec = { name: "exec", input: { command: "sleep" } };
  const runnerOf = (begun: () => void, end: Promise<void>): TestRunner => ({
    run: async () => {
      begun();
      await end;
      return { end: { type: "exited", exitCode: 0 }, output: "slept", outputBytes: 5, durationMs: 1 };
    },
  });
  let isKilled = false;
  const around = (store: Store): Store =>
    endsAsKilled(
      withMethods(() => ({
        appendToTurn: async (...args) => {
          if (isKilled) throw new StoreError("internal", "The process is dead.");
          return store.appendToTurn(...args);
        },
      }))(store),
    );
  const begun = Promise.withResolvers<void>();
  server.script([toolReply(exec, exec)]);
  const first = await startTestGateway({ platform, patch: shared, around, runner: runnerOf(begun.resolve, new Promise(() => undefined)) });
  await platform.say(platform.message("one"));
  await begun.promise;
  isKilled = true;
  await first.stop();

  const again = Promise.withResolvers<void>();
  const end = Promise.withResolvers<void>();
  server.script([textReply("Both.")]);
  await using second = await startTestGateway({ platform, patch: shared, home: first.home, runner: runnerOf(again.resolve, end.promise) });
  await again.promise;
  await platform.say(platform.message("two"));
  end.resolve();
  await second.gateway.engine.idle();
  expect(sentTexts()).toEqual(["Both."]);
  expect(messagesOf(-1)).toMatch(/exec had been started when the gateway stopped.*slept.*two/);
  expect(server.violations).toEqual([]);
});
