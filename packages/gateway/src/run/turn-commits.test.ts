import { StoreError } from "@factotum/store";
import type { Store } from "@factotum/store";
import { startAnthropicServer, textReply, toolReply } from "@factotum/testing-providers";
import type { AnthropicServer } from "@factotum/testing-providers";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { startTestGateway, TestPlatform, withMethods, withModel } from "../../test/gateway-harness.ts";

let server: AnthropicServer;
let platform: TestPlatform;
beforeEach(async () => {
  server = await startAnthropicServer();
  platform = new TestPlatform();
});
afterEach(() => server[Symbol.asyncDispose]());

const sentTexts = (): string[] => platform.sent.map(({ outbound }) => (outbound.type === "text" ? outbound.text : ""));

/** A store whose commits during a turn go through `commit`. */
function withCommits(commit: (written: () => ReturnType<Store["appendToTurn"]>) => ReturnType<Store["appendToTurn"]>) {
  return withMethods((store) => ({ appendToTurn: async (...parameters) => commit(async () => store.appendToTurn(...parameters)) }));
}

describe("results of tool calls", () => {
  test("of read-only tools are written while the next request is on the wire, and the request refers to them", async () => {
    server.script([toolReply({ name: "ls", input: { path: "." } }), textReply("Nothing there.")]);
    const around = withCommits(async (write) => {
      await server.nextRequest();
      return write();
    });
    await using running = await startTestGateway({ platform, patch: withModel(server.baseUrl), around });
    const first = server.nextRequest();
    await platform.say(platform.message("look"));
    await first;
    await platform.waitForSends(1);
    await running.gateway.engine.idle();
    expect(sentTexts()).toEqual(["Nothing there."]);
    const sessionId = (await running.store.readSession("agent:main:main"))?.sessionId ?? "";
    const entries = (await running.store.readTranscript(sessionId, { limit: 9 })).items;
    const idOf = (role: string): string | undefined => entries.find((entry) => entry.type === "message" && entry.message.role === role)?.id;
    const requests = (await running.store.listRequests({ sessionId, limit: 9 })).items;
    expect(requests.map(({ number, lastEntryId }) => [number, lastEntryId])).toEqual([
      [2, idOf("toolResult")],
      [1, idOf("user")],
    ]);
  });

  test("of tools with side effects are durable before the next request is sent", async () => {
    server.script([toolReply({ name: "write", input: { path: "a.txt", content: "1" } }), textReply("Done.")]);
    const atCommit: number[] = [];
    const around = withCommits(async (write) => {
      const written = await write();
      atCommit.push(server.requests.length);
      return written;
    });
    await using running = await startTestGateway({ platform, patch: withModel(server.baseUrl), around });
    await platform.say(platform.message("write"));
    await platform.waitForSends(1);
    await running.gateway.engine.idle();
    // The call before it starts, the result before the second request.
    expect(atCommit).toEqual([1, 1]);
    expect(server.requests).toHaveLength(2);
  });

  test("are repeated when their commit fails: nothing is answered from uncommitted state", async () => {
    const look = toolReply({ name: "ls", input: { path: "." } });
    server.script([look, textReply("Lost."), look, textReply("Nothing there.")]);
    let failures = 1;
    const around = withCommits(async (write) => {
      if (failures-- > 0) throw new StoreError("internal", "The disk could not be read.");
      return write();
    });
    await using running = await startTestGateway({ platform, patch: withModel(server.baseUrl), around });
    await platform.say(platform.message("look"));
    await platform.waitForSends(1);
    await running.gateway.engine.idle();
    expect(sentTexts()).toEqual(["Nothing there."]);
  });
});
