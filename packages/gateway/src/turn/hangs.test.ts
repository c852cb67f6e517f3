import { withoutUndefined } from "@factotum/agent-contract";
import type { MsgContext } from "@factotum/channel-contract";
import type { FactotumConfig } from "@factotum/config";
import { startAnthropicServer, textReply, toolReply } from "@factotum/testing-providers";
import type { AnthropicReply, AnthropicServer } from "@factotum/testing-providers";
import { describe, expect, test } from "vitest";
import { startTestGateway, TestPlatform, withModel } from "../../test/gateway-harness.ts";
import type { TestRunner } from "../../test/complete-runner.ts";
import type { TestGateway } from "../../test/gateway-harness.ts";
import { LIMIT_MS, LimitClock } from "../../test/limit-clock.ts";
import type { RemoteFiles } from "../media/remote-files.ts";

type Message = Extract<AnthropicReply, { type: "message" }>;

const said = textReply("A first answer that is long enough to be cut in the middle of its words.") as Message;
const called = toolReply({ name: "exec", input: { command: "wait" } });

/** Faults of a provider and the byte after which they occur: before the answer, in its first event, in its text. Keep-alives are sent only between events. */
const PROVIDER_FAULTS = [
  ...(["stall", "cut", "end"] as const).flatMap((type) => [0, 40, 700].map((afterBytes) => [type, afterBytes] as const)),
  ["trickle", 0] as const,
];

function patched(baseUrl: string): (config: FactotumConfig) => FactotumConfig {
  return (config) => {
    const base = withModel(baseUrl)(config);
    const limits = { connectSeconds: 2, firstEventSeconds: 2, idleSeconds: 2 };
    return {
      ...base,
      agents: base.agents.map((agent) => ({ ...agent, timeoutSeconds: LIMIT_MS / 1000 })),
      models: { ...base.models, timeouts: limits },
    };
  };
}

const elsewhere = { channel: "test", accountId: "default", conversation: { kind: "group" as const, id: "group-1" } };

async function expectRelease(
  fault: AnthropicReply | undefined,
  options: { readonly runner?: TestRunner; readonly isLimited: boolean; readonly begun?: Promise<void> },
): Promise<void> {
  await using server = await startAnthropicServer();
  const platform = new TestPlatform();
  const clock = new LimitClock();
  server.respond(({ body }) => {
    const text = JSON.stringify((body?.["messages"] as readonly unknown[] | undefined)?.at(-1));
    if (text.includes("the second one")) return textReply("Two.");
    if (text.includes("somebody else")) return textReply("Three.");
    return textReply("One again.");
  });
  if (fault !== undefined) server.script([fault]);
  await using running = await startTestGateway({
    platform,
    clock,
    accountConfig: { groups: { "group-1": { requireMention: false } } },
    patch: patched(server.baseUrl),
    ...withoutUndefined({ runner: options.runner }),
  });
  await platform.say(platform.message("the first one"));
  await server.nextRequest();
  await options.begun;
  await platform.say(platform.message("the second one"));
  if (options.isLimited) {
    // Another session is answered while this one hangs, before any limit has expired.
    await platform.say(platform.message("somebody else", { origin: elsewhere }));
    await platform.waitForSends(1);
    expect(platform.sent).toMatchObject([{ target: elsewhere, outbound: { text: "Three." } }]);
    clock.pass();
    await platform.waitForSends(3);
    expect(clock.monotonic()).toBe(LIMIT_MS);
    expect(platform.sent[1]?.outbound).toMatchObject({ text: expect.stringMatching(/did not answer in time/) });
  } else await platform.waitForSends(2);
  expect(platform.sent.at(-1)?.outbound).toMatchObject({ text: "Two." });
  await running.gateway.engine.idle();
  expect(running.gateway.engine.activeTurns).toBe(0);
  for (const state of ["waiting", "claimed"] as const) expect((await running.store.listInputs({ state, limit: 1 })).items).toEqual([]);
}

describe("a provider", () => {
  test.each(PROVIDER_FAULTS)(
    'with the fault "%s" after %i bytes delays neither the next message nor another session',
    async (type, afterBytes) => {
      const fault = type === "trickle" ? { type, afterBytes, everyMs: 5 } : { type, afterBytes };
      await expectRelease({ ...said, fault }, { isLimited: type === "stall" || type === "trickle" });
    },
  );

  test.each([0, 1, 3])("that sends unreadable data after %i events delays nothing", async (afterEvents) => {
    await expectRelease({ ...said, fault: { type: "garbage", afterEvents } }, { isLimited: false });
  });
});

describe("a hanging tool", () => {
  const tools: readonly (readonly [string, TestRunner["run"]])[] = [
    ["that ignores the abort", () => new Promise(() => undefined)],
    [
      "that throws on the abort",
      (_request, { signal }) =>
        new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(new Error("I will not")), { once: true })),
    ],
  ];

  test.each(tools)("%s delays neither the next message nor another session", async (_name, run) => {
    const begun = Promise.withResolvers<void>();
    const runner: TestRunner = {
      run: (request, options) => {
        begun.resolve();
        return run(request, options);
      },
    };
    await expectRelease(called, { runner, isLimited: true, begun: begun.promise });
  });
});

describe("a hanging preparation", () => {
  type Hang = (hang: () => Promise<never>, platform: TestPlatform) => Partial<Parameters<typeof startTestGateway>[0]>;
  const stages: readonly (readonly [string, Hang, (platform: TestPlatform, hang: () => Promise<never>) => Partial<MsgContext>])[] = [
    ["reading its sources", (hang) => ({ skills: { list: hang } }), () => ({})],
    ["fetching an attachment", () => ({}), (platform, hang) => ({ attachments: [platform.attachment(hang)] })],
  ];

  test.each(stages)(
    "that hangs while %s and ignores the abort delays neither the next message nor another session",
    async (_name, options, extra) => {
      await using server = await startAnthropicServer();
      server.respond(({ body }) => textReply(JSON.stringify(body?.["messages"]).includes("the second one") ? "Two." : "Three."));
      const platform = new TestPlatform();
      const clock = new LimitClock();
      const begun = Promise.withResolvers<void>();
      let hangs = 1;
      // The first call hangs for good and ignores its signal; later ones do not.
      const hang = async (): Promise<never> => {
        begun.resolve();
        return hangs-- > 0 ? new Promise<never>(() => undefined) : ([] as never);
      };
      await using running = await startTestGateway({
        platform,
        clock,
        accountConfig: { groups: { "group-1": { requireMention: false } } },
        patch: patched(server.baseUrl),
        ...options(hang, platform),
      });
      await platform.say(platform.message("the first one", extra(platform, hang)));
      await begun.promise;
      await platform.say(platform.message("the second one"));
      await platform.say(platform.message("somebody else", { origin: elsewhere }));
      await platform.waitForSends(1);
      expect(platform.sent).toMatchObject([{ target: elsewhere, outbound: { text: "Three." } }]);
      clock.pass();
      await platform.waitForSends(3);
      expect(platform.sent[1]?.outbound).toMatchObject({ text: expect.stringMatching(/did not answer in time/) as string });
      expect(platform.sent[2]?.outbound).toMatchObject({ text: "Two." });
      await running.gateway.engine.idle();
      for (const state of ["waiting", "claimed"] as const) expect((await running.store.listInputs({ state, limit: 1 })).items).toEqual([]);
    },
  );
});

const otherChat = { channel: "test", accountId: "default", conversation: { kind: "direct" as const, id: "dm-2" } };

test.each<[string, Partial<MsgContext>, readonly string[]]>([
  ["there", {}, ["Stopped what I was working on."]],
  [
    "in another chat of the session",
    { origin: otherChat },
    ["Stopped what I was working on.", "This message was dropped: somebody stopped the work here and what waited for it."],
  ],
])("/stop %s ends a preparation that hangs and ignores the abort, and the next message is answered", async (_where, stopping, told) => {
  await using server = await startAnthropicServer();
  server.respond(() => textReply("Two."));
  const platform = new TestPlatform();
  const [menu, begun] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let calls = 0;
  const list = async (): Promise<never> => {
    calls += 1;
    if (calls === 1) menu.resolve();
    if (calls !== 2) return [] as never;
    begun.resolve();
    return new Promise<never>(() => undefined);
  };
  await using running = await startTestGateway({ platform, patch: withModel(server.baseUrl), skills: { list } });
  // The start looks skills up for the menus of channels.
  await menu.promise;
  await platform.say(platform.message("the first one"));
  await begun.promise;
  await platform.say(platform.message("/stop", stopping));
  await running.gateway.engine.idle();
  await platform.say(platform.message("the second one"));
  await running.gateway.engine.idle();
  const texts = platform.sent.map(({ outbound }) => (outbound.type === "text" ? outbound.text : ""));
  expect(texts.slice(0, -1).toSorted()).toEqual(told);
  expect(texts.at(-1)).toBe("Two.");
  // A message stopped before its run started is not in the next request, and is not a failure.
  expect(JSON.stringify(server.requests.map(({ body }) => body?.["messages"]))).not.toContain("the first one");
  expect(running.logger.lines.filter((line) => line.includes("could not begin"))).toEqual([]);
  for (const state of ["waiting", "claimed"] as const) expect((await running.store.listInputs({ state, limit: 1 })).items).toEqual([]);
});

describe("files of an answer", () => {
  /** Starts a gateway whose answer names a web file that never arrives and ignores the abort. */
  async function answerWithFile(server: AnthropicServer): Promise<{ readonly platform: TestPlatform; readonly running: TestGateway }> {
    server.script([textReply("Here.\nMEDIA:https://example.com/a"), textReply("Two.")]);
    const platform = new TestPlatform("platform", { media: [{ kind: "file", maxBytes: 1_000 }] });
    const begun = Promise.withResolvers<void>();
    const remoteFiles: RemoteFiles = {
      fetch: async () => {
        begun.resolve();
        return new Promise<never>(() => undefined);
      },
    };
    const running = await startTestGateway({ platform, patch: withModel(server.baseUrl), remoteFiles });
    await platform.say(platform.message("the first one"));
    await begun.promise;
    return { platform, running };
  }

  test("are not awaited after /stop: the answer is not sent, and the next message is answered", async () => {
    await using server = await startAnthropicServer();
    const { platform, running: started } = await answerWithFile(server);
    await using running = started;
    await platform.say(platform.message("/stop"));
    await platform.say(platform.message("the second one"));
    await running.gateway.engine.idle();
    expect(platform.sent.map(({ outbound }) => outbound.type === "text" && outbound.text)).toEqual([
      "Stopped what I was working on.",
      "Two.",
    ]);
  });

  test("do not delay shutdown: the answer is sent without them", async () => {
    await using server = await startAnthropicServer();
    const { platform, running: started } = await answerWithFile(server);
    await using running = started;
    await running.gateway.engine.stop("the test is over");
    expect(platform.sent.map(({ outbound }) => outbound.type === "text" && outbound.text)).toEqual([
      expect.stringMatching(/^Here\.\n\n📎 .+ \(this file could not be sent\)$/u),
    ]);
    expect((await running.store.listInputs({ state: "answered", limit: 2 })).items).toHaveLength(1);
  });
});

describe("shutdown", () => {
  test("lets a turn end within the drain budget and sends its answer", async () => {
    await using server = await startAnthropicServer();
    const gate = server.hold();
    server.respond(() => textReply("Just in time."));
    const platform = new TestPlatform();
    await using running = await startTestGateway({ platform, patch: withModel(server.baseUrl), drainMs: 600_000 });
    await platform.say(platform.message("one"));
    await server.nextRequest();
    await platform.say(platform.message("two"));
    const stopped = running.stop();
    gate.open();
    await stopped;
    expect(platform.sent).toMatchObject([{ outbound: { text: "Just in time." } }]);
  });
});
