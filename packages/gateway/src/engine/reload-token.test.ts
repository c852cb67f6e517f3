import { request } from "node:http";
import type { ClientRequest } from "node:http";
import { once } from "node:events";
import type { FactotumConfig } from "@factotum/config";
import { startAnthropicServer, textReply } from "@factotum/testing-providers";
import { describe, expect, test } from "vitest";
import { startTestGateway, withModel } from "../../test/gateway-harness.ts";
import type { TestGateway } from "../../test/gateway-harness.ts";
import { TestClient } from "../../test/test-client.ts";

async function changeToken(
  running: TestGateway,
  token: string | undefined,
  change: (config: FactotumConfig) => FactotumConfig = (config) => config,
): Promise<void> {
  await running.gateway.reload({ ...running.settings(change(running.gateway.engine.parts.running.config)), token });
}

const withBind =
  (bind: string) =>
  (config: FactotumConfig): FactotumConfig => ({ ...config, gateway: { ...config.gateway, bind } });

async function models(running: TestGateway, token: string | undefined): Promise<number> {
  const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
  return (await fetch(`${running.gateway.url}/v1/models`, { headers })).status;
}

describe("changing the gateway token", () => {
  test("closes the connections opened with the old token, and accepts only the new one", async () => {
    await using running = await startTestGateway();
    using first = await TestClient.connect(running.gateway.url, running.token);
    using second = await TestClient.connect(running.gateway.url, running.token);
    await first.call("chat.subscribe", {});
    await changeToken(running, "another");
    // Frames that still arrive while the socket closes are ignored.
    first.send({ type: "req", id: "late", method: "status", params: {} });
    for (const client of [first, second]) {
      expect((await client.closed).code).toBe(4401);
      expect(client.frames.at(-1)).toEqual({
        type: "refused",
        error: { code: "unauthorized", message: expect.stringMatching(/token .* changed.*factotum gateway start/) as string },
      });
    }
    expect(first.frames.filter((frame) => frame.type === "res" && frame.id === "late")).toEqual([]);
    using old = await TestClient.open(running.gateway.url);
    old.send({ type: "connect", minProtocol: 1, maxProtocol: 1, client: { name: "x", version: "0" }, auth: { token: running.token } });
    expect((await old.closed).code).toBe(4401);
    using admitted = await TestClient.connect(running.gateway.url, "another");
    expect(await admitted.call("agents.list", {})).toMatchObject({ agents: [{ id: "main" }] });
    expect([await models(running, running.token), await models(running, "another")]).toEqual([401, 200]);
  });

  test("cuts off unfinished responses and uploads, and stops the run that no client waits for", async () => {
    await using server = await startAnthropicServer();
    server.respond(() => textReply("Too late."));
    await using running = await startTestGateway({ patch: withModel(server.baseUrl) });
    const gate = server.hold();
    const headers = { authorization: `Bearer ${running.token}`, "content-type": "application/json" };
    const streamed = await fetch(`${running.gateway.url}/v1/chat/completions`, {
      method: "POST",
      headers: { ...headers, "x-factotum-session": "cut" },
      body: JSON.stringify({ model: "factotum", stream: true, messages: [{ role: "user", content: "go" }] }),
    });
    await server.nextRequest();
    const upload: ClientRequest = request(`${running.gateway.url}/uploads`, {
      method: "POST",
      headers: { ...headers, "content-length": "1000" },
    });
    const uploadEnds = once(upload, "error");
    // The gateway has received the start of the body once it has read something.
    await new Promise((resolve) => upload.write("x", resolve));
    await models(running, running.token);
    await changeToken(running, "another");
    await expect(streamed.text()).rejects.toThrow();
    await uploadEnds;
    gate.open();
    await running.gateway.engine.idle();
    using client = await TestClient.connect(running.gateway.url, "another");
    const { entries } = await client.call("chat.history", { sessionKey: "agent:main:http:cut" });
    expect(entries.map(({ type }) => type)).toContain("user");
    expect(JSON.stringify(entries)).not.toContain("Too late.");
  });

  test("changes nothing if the token is the same", async () => {
    await using running = await startTestGateway();
    using client = await TestClient.connect(running.gateway.url, running.token);
    await changeToken(running, running.token);
    expect(await client.call("agents.list", {})).toMatchObject({ agents: [{ id: "main" }] });
  });

  test("works from and to no token at all", async () => {
    await using running = await startTestGateway();
    using withToken = await TestClient.connect(running.gateway.url, running.token);
    await changeToken(running, undefined);
    expect(await withToken.call("agents.list", {})).toMatchObject({ agents: [{ id: "main" }] });
    expect(await models(running, undefined)).toBe(200);
    using without = await TestClient.open(running.gateway.url);
    without.send({ type: "connect", minProtocol: 1, maxProtocol: 1, client: { name: "x", version: "0" } });
    await without.until(() => without.frames.find((frame) => frame.type === "hello"));
    await changeToken(running, running.token);
    expect((await without.closed).code).toBe(4401);
    expect(await withToken.call("agents.list", {})).toMatchObject({ agents: [{ id: "main" }] });
    expect(await models(running, undefined)).toBe(401);
  });

  test("cannot be removed while the gateway listens, or would listen, beyond this machine; then nothing changes", async () => {
    await using running = await startTestGateway();
    await expect(changeToken(running, undefined, withBind("lan"))).rejects.toThrow("gateway.auth.mode");
    expect(running.gateway.engine.parts.running.config.gateway.bind).toBe("loopback");
    expect([await models(running, undefined), await models(running, running.token)]).toEqual([401, 200]);
    await using wide = await startTestGateway({ patch: withBind("lan") });
    await expect(changeToken(wide, undefined, withBind("loopback"))).rejects.toThrow("gateway.auth.mode");
    expect(await models(wide, undefined)).toBe(401);
  });
});
