import { startAnthropicServer, textReply } from "@factotum/testing-providers";
import type { AnthropicReply, AnthropicServer } from "@factotum/testing-providers";
import { expect, test } from "vitest";
import { startTestGateway, TestPlatform, withModel } from "../../test/gateway-harness.ts";

const SESSION = "agent:main:main";

const isSummary = (body: unknown): boolean => JSON.stringify(body).includes("You condense the record of a conversation");
const textsOf = (platform: TestPlatform): readonly string[] =>
  platform.sent.map(({ outbound }) => (outbound.type === "text" ? outbound.text : outbound.type));

/** Answers messages as `answer` says, and holds summaries until the test releases them. `reached`: resolves at the first summary request. */
function holdSummaries(server: AnthropicServer, answer: (body: unknown) => AnthropicReply = () => textReply("Noted.")) {
  const reached = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  server.respond(async ({ body }) => {
    if (!isSummary(body)) return answer(body);
    reached.resolve();
    await gate.promise;
    return textReply("Known: words.");
  });
  return { reached: reached.promise, open: () => gate.resolve() };
}

async function converse(platform: TestPlatform, count: number): Promise<void> {
  for (let index = 0; index < count; index += 1) {
    const sent = platform.sent.length;
    await platform.say(platform.message(`word-${index} ${"lorem ipsum ".repeat(700)}`));
    await platform.waitForSends(sent + 1);
  }
}

test("a command that waits in its lane does not delay shutdown, and is answered after the next start", async () => {
  await using server = await startAnthropicServer();
  const gate = server.hold();
  server.respond(() => textReply("Noted."));
  const platform = new TestPlatform();
  const first = await startTestGateway({ platform, patch: withModel(server.baseUrl) });
  await platform.say(platform.message("one"));
  await server.nextRequest();
  await platform.say(platform.message("/compact"));
  await first.stop();
  expect(platform.sent).toEqual([]);
  gate.open();
  await using second = await startTestGateway({ platform, patch: withModel(server.baseUrl), home: first.home });
  await second.gateway.engine.idle();
  expect(textsOf(platform)).toEqual(["Noted.", "There is nothing to summarise yet."]);
});

test("a requested summary is aborted by shutdown and starts again after the restart", async () => {
  await using server = await startAnthropicServer();
  const summaries = holdSummaries(server);
  const platform = new TestPlatform();
  const first = await startTestGateway({ platform, patch: withModel(server.baseUrl) });
  await converse(platform, 2);
  await platform.say(platform.message("/compact"));
  await summaries.reached;
  await first.stop();
  summaries.open();
  await using second = await startTestGateway({ platform, patch: withModel(server.baseUrl), home: first.home });
  await second.gateway.engine.idle();
  expect(textsOf(platform).at(-1)).toBe("Older messages are summarised now.");
  expect((await second.store.readSession(SESSION))?.compactionCount).toBe(1);
});

test("/stop aborts a requested summary, and nothing is truncated", async () => {
  await using server = await startAnthropicServer();
  const summaries = holdSummaries(server);
  const platform = new TestPlatform();
  await using running = await startTestGateway({ platform, patch: withModel(server.baseUrl) });
  await converse(platform, 2);
  await platform.say(platform.message("/compact"));
  await summaries.reached;
  await platform.say(platform.message("/stop"));
  await running.gateway.engine.idle();
  expect(textsOf(platform).slice(2).toSorted()).toEqual(["Stopped before anything was summarised.", "Stopped what I was working on."]);
  expect((await running.store.readSession(SESSION))?.compactionCount).toBe(0);
  expect((await running.store.listInputs({ state: "waiting", limit: 1 })).items).toEqual([]);
});

test("/stop aborts a turn that is being compacted because the provider found its request too long", async () => {
  await using server = await startAnthropicServer();
  const summaries = holdSummaries(server, (body) =>
    JSON.stringify(body).includes("the last word")
      ? { type: "error", errorType: "invalid_request_error", message: "prompt is too long: 210000 tokens > 200000 maximum" }
      : textReply("Noted."),
  );
  const platform = new TestPlatform();
  await using running = await startTestGateway({ platform, patch: withModel(server.baseUrl) });
  await converse(platform, 2);
  await platform.say(platform.message("the last word"));
  await summaries.reached;
  await platform.say(platform.message("/stop"));
  await running.gateway.engine.idle();
  expect(textsOf(platform).at(-1)).toBe("Stopped what I was working on.");
  expect((await running.store.readSession(SESSION))?.compactionCount).toBe(0);
  expect(running.gateway.engine.parts.events.live(SESSION)).toBeUndefined();
  expect((await running.store.listInputs({ state: "claimed", limit: 1 })).items).toEqual([]);
  expect(running.logger.lines.join("\n")).not.toContain("is taken up at the next start");
});
