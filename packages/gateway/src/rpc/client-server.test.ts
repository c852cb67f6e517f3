import { readFile, rm } from "node:fs/promises";
import path from "node:path";
import type { Clock } from "@factotum/agent-contract";
import type { RpcMethods } from "@factotum/protocol";
import { startAnthropicServer, textReply, toolReply } from "@factotum/testing-providers";
import { describe, expect, test } from "vitest";
import { realClock, startTestGateway, withModel } from "../../test/gateway-harness.ts";
import { TestClient } from "../../test/test-client.ts";

describe("the socket of clients", () => {
  test("no one gets past the handshake without the token, whatever else they send", async () => {
    await using running = await startTestGateway();
    const { url } = running.gateway;
    const attempts: readonly unknown[] = [
      { type: "connect", minProtocol: 1, maxProtocol: 1, client: { name: "x", version: "0" } },
      { type: "connect", minProtocol: 1, maxProtocol: 1, client: { name: "x", version: "0" }, auth: { token: "wrong" } },
      { type: "req", id: "1", method: "status" },
      "not json",
      `"${"x".repeat(70_000)}"`,
      "[".repeat(5000),
      { type: "connect", minProtocol: 9, maxProtocol: 9, client: { name: "x", version: "0" }, auth: { token: "test-token" } },
    ];
    for (const attempt of attempts) {
      using client = await TestClient.open(url);
      client.send(attempt);
      const { code } = await client.closed;
      expect([1008, 1009, 4401, 4406]).toContain(code);
      expect(client.frames.every((frame) => frame.type === "refused")).toBe(true);
    }
  });

  test("a token is refused as wrong whatever its length", async () => {
    await using running = await startTestGateway();
    for (const length of [1, 1001, 60_000]) {
      using client = await TestClient.open(running.gateway.url);
      client.send({
        type: "connect",
        minProtocol: 1,
        maxProtocol: 1,
        client: { name: "x", version: "0" },
        auth: { token: "x".repeat(length) },
      });
      expect((await client.closed).code).toBe(4401);
    }
  });

  test("silent clients block no one: the oldest of them is closed", async () => {
    await using running = await startTestGateway();
    const { url } = running.gateway;
    using early = await TestClient.connect(url, running.token);
    using silent = new DisposableStack();
    const first = silent.use(await TestClient.open(url));
    for (let count = 1; count < 300; count += 1) silent.use(await TestClient.open(url));
    await first.closed;
    using late = await TestClient.connect(url, running.token);
    for (const client of [early, late]) expect(await client.call("agents.list", {})).toMatchObject({ agents: [{ id: "main" }] });
  });

  test("pages of other sites and foreign names of this machine are refused before the handshake", async () => {
    await using running = await startTestGateway();
    await expect(TestClient.open(running.gateway.url, { origin: "http://evil.example" })).rejects.toThrow("403");
    await expect(TestClient.open(running.gateway.url, { host: "evil.example" })).rejects.toThrow("403");
    await expect(TestClient.open(`${running.gateway.url}/other`)).rejects.toThrow("404");
  });

  test("invalid requests get an answer with the reason, and the connection stays", async () => {
    await using running = await startTestGateway();
    using client = await TestClient.connect(running.gateway.url, running.token);
    expect(await client.callRaw("no.such", {})).toMatchObject({ ok: false, error: { code: "method-unknown" } });
    expect(await client.callRaw("constructor", {})).toMatchObject({ ok: false, error: { code: "method-unknown" } });
    expect(await client.callRaw("chat.history", { sessionKey: 7 })).toMatchObject({
      ok: false,
      error: { code: "invalid-request", message: expect.stringContaining("sessionKey") },
    });
    expect(await client.callRaw("chat.history", { sessionKey: "nonsense" })).toMatchObject({
      ok: false,
      error: { code: "invalid-request", message: expect.stringContaining("agent:main:main") },
    });
    expect(await client.callRaw("sessions.delete", { key: "agent:main:nowhere" })).toMatchObject({
      ok: false,
      error: { code: "not-found" },
    });
    expect(await client.callRaw("agent", { message: "x", agentId: "nobody", idempotencyKey: "1" })).toMatchObject({
      ok: false,
      error: { code: "not-found", message: expect.stringContaining("main") },
    });
    for (const part of ["\ud800", "\u0000"]) {
      // Stored, it could neither run nor be removed.
      for (const wrong of [{ idempotencyKey: `1${part}` }, { idempotencyKey: "1", sessionKey: `agent:main:a${part}` }]) {
        expect(await client.callRaw("agent", { message: "x", ...wrong })).toMatchObject({ error: { code: "invalid-request" } });
        expect(await client.callRaw("chat.send", { text: "x", ...wrong })).toMatchObject({ error: { code: "invalid-request" } });
      }
    }
    expect(await client.call("agents.list", {})).toMatchObject({ agents: [{ id: "main", mainSessionKey: "agent:main:main" }] });
  });

  test("`agent` sends a message, waits for the run and returns its outcome", async () => {
    await using model = await startAnthropicServer();
    model.script([textReply("Fine."), { type: "error", errorType: "authentication_error", message: "no" }]);
    await using running = await startTestGateway({ patch: withModel(model.baseUrl) });
    using client = await TestClient.connect(running.gateway.url, running.token);
    const result = await client.call("agent", { message: "How are you?", idempotencyKey: "a" });
    expect(result).toMatchObject({
      sessionKey: "agent:main:main",
      outcome: { type: "done" },
      text: "Fine.",
      usage: { output: expect.any(Number) },
    });
    expect(await client.callRaw("agent", { message: "How are you?", idempotencyKey: "a" })).toMatchObject({
      ok: false,
      error: { code: "conflict" },
    });
    expect(await client.call("agent", { message: "And now?", idempotencyKey: "b" })).toMatchObject({
      outcome: { type: "failed", message: expect.stringContaining("key") },
      text: "",
    });
    expect(await client.call("status", {})).toMatchObject({
      sessions: { total: 1, running: 0 },
      agents: [{ id: "main", model: "anthropic/claude-sonnet-5-5" }],
    });
  });

  test("a client that joins at any moment ends up with the same state as one that watched from the start", async () => {
    await using model = await startAnthropicServer();
    model.script([
      toolReply({ name: "write", input: { path: "x.txt", content: "1" } }),
      textReply("Now there is a file, and this text comes in many small pieces."),
    ]);
    await using running = await startTestGateway({ patch: withModel(model.baseUrl) });
    using early = await TestClient.connect(running.gateway.url, running.token);
    await early.call("chat.subscribe", {});
    const gate = model.hold();
    const done = early.call("agent", { message: "go", idempotencyKey: "a" });
    await model.nextRequest();
    const late: TestClient[] = [];
    const snapshots: RpcMethods["chat.subscribe"]["result"][] = [];
    const join = async (): Promise<void> => {
      const client = await TestClient.connect(running.gateway.url, running.token);
      late.push(client);
      snapshots.push(await client.call("chat.subscribe", {}));
    };
    await join();
    gate.open();
    await Promise.all([join(), join(), done]);
    await join();
    await running.gateway.engine.idle();
    const expected = await early.call("chat.history", { sessionKey: "agent:main:main" });
    expect(expected.entries.map((entry) => entry.type)).toEqual(["user", "assistant", "tool-result", "assistant"]);
    for (const [index, client] of late.entries()) {
      await client.call("agents.list", {});
      const fromEvents = client.events.flatMap((event) => (event.type === "entry" ? [event.entry] : []));
      expect([...(snapshots[index]?.entries ?? []), ...fromEvents]).toEqual(expected.entries);
      client[Symbol.dispose]();
    }
  });

  test("sessions are listed, named, found by name, reset and deleted", async () => {
    await using model = await startAnthropicServer();
    model.respond(() => textReply("Yes."));
    await using running = await startTestGateway({ patch: withModel(model.baseUrl) });
    using client = await TestClient.connect(running.gateway.url, running.token);
    for (const name of ["one", "two"])
      await client.call("agent", { message: "hi", sessionKey: `agent:main:http:${name}`, idempotencyKey: name });
    const { sessions } = await client.call("sessions.list", { limit: 1 });
    expect(sessions).toMatchObject([{ key: "agent:main:http:two", kind: "other", running: false }]);
    await client.call("sessions.patch", { key: "agent:main:http:one", label: "First" });
    expect(await client.call("sessions.resolve", { label: "First" })).toMatchObject({
      session: { key: "agent:main:http:one", label: "First" },
    });
    expect(await client.call("sessions.resolve", { key: "AGENT:MAIN:HTTP:ONE" })).toMatchObject({
      session: { key: "agent:main:http:one" },
    });
    const before = await client.call("sessions.resolve", { key: "agent:main:http:one" });
    const after = await client.call("sessions.reset", { key: "agent:main:http:one" });
    expect(after.session.sessionId).not.toBe(before.session.sessionId);
    expect(await client.call("chat.history", { sessionKey: "agent:main:http:one" })).toEqual({ entries: [] });
    expect(await client.call("sessions.delete", { key: "agent:main:http:one" })).toEqual({ deleted: true });
    expect(await client.callRaw("sessions.resolve", { key: "agent:main:http:one" })).toMatchObject({
      ok: false,
      error: { code: "not-found" },
    });
  });

  test("a shutdown tells clients why", async () => {
    const running = await startTestGateway();
    using client = await TestClient.connect(running.gateway.url, running.token);
    await running.stop();
    expect(await client.closed).toMatchObject({ code: 1001 });
    expect(client.frames.at(-1)).toMatchObject({ type: "event", event: "shutdown" });
  });

  test("a reason of any length and script is sent: complete in the frame, and as much as fits in the close", async () => {
    await using running = await startTestGateway();
    using client = await TestClient.connect(running.gateway.url, running.token);
    const reason = "再见👋".repeat(50);
    await running.gateway.stop(reason);
    expect(client.frames.at(-1)).toMatchObject({ event: "shutdown", payload: { reason } });
    expect(await client.closed).toEqual({ code: 1001, reason: `${"再见👋".repeat(12)}再` });
  });

  test("a failing step of the stop does not prevent the others", async () => {
    let armed = false;
    const clock: Clock = {
      ...realClock,
      schedule: (delayMs, callback) => {
        const timer = realClock.schedule(delayMs, callback);
        return {
          [Symbol.dispose]: () => {
            timer[Symbol.dispose]();
            if (!armed) return;
            armed = false;
            throw new Error("this timer cannot be put down");
          },
        };
      },
    };
    const running = await startTestGateway({ clock });
    const { gateway, home, store } = running;
    using client = await TestClient.connect(gateway.url, running.token);
    armed = true;
    await expect(gateway.stop("the end")).rejects.toThrow("this timer");
    await client.closed;
    await expect(fetch(`${gateway.url}/healthz`)).rejects.toThrow("fetch failed");
    await expect(readFile(path.join(home, "state", "gateway.json"))).rejects.toThrow("ENOENT");
    await store.close();
    await rm(home, { recursive: true, force: true });
  });
});
