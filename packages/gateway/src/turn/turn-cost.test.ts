import { startAnthropicServer, textReply, toolReply } from "@factotum/testing-providers";
import type { AnthropicServer } from "@factotum/testing-providers";
import { afterEach, beforeEach, expect, test } from "vitest";
import { startTestGateway, TestPlatform, withModel } from "../../test/gateway-harness.ts";
import type { TestGateway } from "../../test/gateway-harness.ts";

let server: AnthropicServer;
let platform: TestPlatform;
beforeEach(async () => {
  server = await startAnthropicServer();
  platform = new TestPlatform();
});
afterEach(() => server[Symbol.asyncDispose]());

interface Cost {
  readonly requests: number;
  readonly sends: number;
  /** Each is one fsync: the store runs with `synchronous = FULL`. */
  readonly commits: number;
  readonly rowsRead: number;
}

async function costOf(running: TestGateway, text: string): Promise<Cost> {
  const { commits, rowsRead } = running.store.metrics();
  const [requests, sends] = [server.requests.length, platform.sent.length];
  await platform.say(platform.message(text));
  await running.gateway.engine.idle();
  await running.store.flushCopies();
  const after = running.store.metrics();
  return {
    requests: server.requests.length - requests,
    sends: platform.sent.length - sends,
    commits: after.commits - commits,
    rowsRead: after.rowsRead - rowsRead,
  };
}

test("a turn costs three commits and one for the receipt, one request and one send; a tool call adds a fixed number", async () => {
  await using running = await startTestGateway({ platform, patch: withModel(server.baseUrl) });
  server.respond(() => textReply("Yes."));
  await costOf(running, "the first one, which makes the session");
  expect(await costOf(running, "and another")).toMatchObject({ requests: 1, sends: 1, commits: 4 });
  server.script([toolReply({ name: "ls", input: { path: "." } }), textReply("Nothing there.")]);
  // The result of a read-only tool is written afterwards, together with the answer that called it and the request's cost.
  expect(await costOf(running, "look")).toMatchObject({ requests: 2, sends: 1, commits: 5 });
  server.script([toolReply({ name: "write", input: { path: "a.txt", content: "1" } }), textReply("Done.")]);
  // A tool with side effects is written before it starts, with the request's cost, and after it has ended; the file that it replaces is kept in between.
  expect(await costOf(running, "write")).toMatchObject({ requests: 2, sends: 1, commits: 7 });
});

test("a turn in a long conversation among many reads and writes no more than the third turn did", async () => {
  await using running = await startTestGateway({ platform, patch: withModel(server.baseUrl) });
  server.respond(() => textReply("Yes."));
  for (const text of ["one", "two"]) await costOf(running, text);
  const third = await costOf(running, "three");
  for (let turn = 4; turn <= 40; turn += 1) await costOf(running, `turn ${turn}`);
  for (let index = 0; index < 40; index += 1) {
    await running.store.createSession(
      { key: `agent:main:other:${index}`, sessionId: `other-${index}`, agentId: "main", isPrivate: true, displayName: `Other ${index}` },
      { nowMs: Date.now() },
    );
  }
  expect(await costOf(running, "the last one")).toEqual(third);
});
