import type { AnthropicReply, AnthropicServer } from "@factotum/testing-providers";
import { startAnthropicServer, textReply } from "@factotum/testing-providers";
import { afterEach, beforeEach, expect, test } from "vitest";
import { startTestGateway, withModel } from "../../../test/gateway-harness.ts";
import type { TestGateway } from "../../../test/gateway-harness.ts";
import { hastyClock } from "../../../test/hasty-clock.ts";
import { TestClient } from "../../../test/test-client.ts";

let model: AnthropicServer;
let running: TestGateway;
beforeEach(async () => {
  model = await startAnthropicServer();
  model.respond(() => textReply("Seen."));
  running = await startTestGateway({ patch: withModel(model.baseUrl) });
});
afterEach(async () => {
  await running[Symbol.asyncDispose]();
  await model.close();
});

const post = (body: Readonly<Record<string, unknown>>, headers: Readonly<Record<string, string>> = {}): Promise<Response> =>
  fetch(`${running.gateway.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${running.token}`, "content-type": "application/json", ...headers },
    body: JSON.stringify({ model: "factotum", messages: [{ role: "user", content: "hello" }], ...body }),
  });

test.each([{ stream: false }, { stream: true }])(
  "characters that a header cannot contain are percent-encoded, both ways: %j",
  async ({ stream }) => {
    const first = await post({ stream, user: "张三: é %41", größe: 1, "a\nb": 2 });
    expect(first.status).toBe(200);
    expect(await first.text()).toContain("Seen.");
    expect(first.headers.get("x-factotum-ignored")).toBe("gr%C3%B6%C3%9Fe, a%0Ab");
    const session = first.headers.get("x-factotum-session") ?? "";
    expect(session).toBe("agent:main:http:user-%E5%BC%A0%E4%B8%89%3A %C3%A9 %2541");

    await (await post({ stream }, { "x-factotum-session": session })).text();
    const key = "agent:main:http:user-张三%3A é %2541";
    expect((await running.store.listSessions({ limit: 10 })).items.map((item) => item.key)).toEqual([key]);
    using client = await TestClient.connect(running.gateway.url, running.token);
    expect((await client.call("chat.history", { sessionKey: key })).entries).toHaveLength(4);
  },
);

test("a name in x-factotum-session may be percent-encoded; invalid UTF-8 stays as it is", async () => {
  const named = async (session: string): Promise<string | null> =>
    (await post({}, { "x-factotum-session": session })).headers.get("x-factotum-session");
  expect(await named("%E5%BC%A0")).toBe("agent:main:http:%E5%BC%A0");
  expect(await named("%E5x")).toBe("agent:main:http:%25E5x");
  expect((await running.store.listSessions({ limit: 10 })).items.map((item) => item.key).toSorted()).toEqual([
    "agent:main:http:%25E5x",
    "agent:main:http:张",
  ]);
});

test.each([
  [{ user: "a\nb" }, {}, "user"],
  [{ user: "a\u0000" }, {}, "user"],
  [{ user: "\uD800" }, {}, "user"],
  [{}, { "x-factotum-session": "a\tb" }, "x-factotum-session"],
  [{}, { "x-factotum-session": "a".repeat(1_000) }, "x-factotum-session"],
])("a session that no request could name is refused before anything is stored: %j %j", async (body, headers, named) => {
  const answer = await post(body, headers);
  expect(answer.status).toBe(400);
  const { error } = (await answer.json()) as { readonly error: { readonly message: string } };
  expect(error.message).toContain(`${named}: `);
  expect(model.requests).toEqual([]);
});

test("a sub-agent that does not exist takes no messages", async () => {
  const answer = await post({}, { "x-factotum-session": "agent:main:subagent:8d3f2a51-0000-4000-8000-000000000000" });
  expect(answer.status).toBe(404);
  expect(await answer.text()).toContain("There is no sub-agent with the session");
  expect(model.requests).toEqual([]);
});

test.each([
  [{ messages: [] }, "messages: the list is empty; at least one entry is expected"],
  [{ messages: undefined }, "messages: it is missing; a list is expected"],
  [{ messages: "hello" }, "messages: a list is expected"],
  [{ messages: [{ role: "robot", content: "x" }] }, "messages.0.role: one of system, developer, user, assistant, tool is expected"],
  [{ messages: [{ content: "x" }] }, "messages.0.role: it is missing; one of system, developer, user, assistant, tool is expected"],
  [{ messages: [{ role: "user", content: 5 }] }, "messages.0.content: a text or a list of parts is expected"],
  [{ messages: [{ role: "tool", content: "x" }] }, "messages.0.tool_call_id: it is missing; a text is expected"],
  [{ model: "" }, "model: the text is empty"],
  [{ stream: "yes" }, "stream: true or false is expected"],
  [{ user: "a".repeat(201) }, "user: at most 200 characters are allowed"],
])("%j is refused in plain words", async (body, message) => {
  const answer = await post(body, {});
  expect(answer.status).toBe(400);
  expect(await answer.json()).toMatchObject({ error: { message } });
});

test("a spending cap is a 503 with the time when the next day begins", async () => {
  await using capped = await startTestGateway({
    patch: (config) => ({ ...withModel(model.baseUrl)(config), spend: { ...config.spend, perCause: { user: { tokensPerDay: 1 } } } }),
  });
  const ask = async (): Promise<Response> =>
    fetch(`${capped.gateway.url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${capped.token}` },
      body: JSON.stringify({ model: "factotum", messages: [{ role: "user", content: "hello" }] }),
    });
  expect((await ask()).status).toBe(200);
  const refused = await ask();
  expect([refused.status, await refused.json()]).toMatchObject([503, { error: { code: "budget" } }]);
  const seconds = Number(refused.headers.get("retry-after"));
  expect(seconds).toBeGreaterThan(0);
  expect(seconds).toBeLessThanOrEqual(25 * 60 * 60);
});

test("a plain answer is charged to its agent like a person's call, and capped with them", async () => {
  await using capped = await startTestGateway({
    patch: (config) => ({ ...withModel(model.baseUrl)(config), spend: { ...config.spend, perCause: { user: { tokensPerDay: 1 } } } }),
  });
  const ask = async (id: string): Promise<Response> =>
    fetch(`${capped.gateway.url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${capped.token}` },
      body: JSON.stringify({ model: id, messages: [{ role: "user", content: "hello" }] }),
    });
  expect((await ask("factotum:plain")).status).toBe(200);
  for (const id of ["factotum:plain", "factotum"]) {
    const refused = await ask(id);
    expect([refused.status, await refused.json()]).toMatchObject([503, { error: { code: "budget" } }]);
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
  }
  expect(model.requests).toHaveLength(1);
});

test("a plain answer is queued with people's turns", async () => {
  await using narrow = await startTestGateway({ patch: (config) => ({ ...withModel(model.baseUrl)(config), maxConcurrent: 1 }) });
  const ask = async (content: string): Promise<Response> =>
    fetch(`${narrow.gateway.url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${narrow.token}` },
      body: JSON.stringify({ model: "factotum:plain", messages: [{ role: "user", content }] }),
    });
  const gate = model.hold();
  const first = ask("first");
  await model.nextRequest();
  const second = ask("second");
  // Answered after the second request is queued.
  while (narrow.gateway.engine.waitingJobs === 0) await (await fetch(`${narrow.gateway.url}/healthz`)).text();
  expect(model.requests).toHaveLength(1);
  gate.open();
  expect([(await first).status, (await second).status]).toEqual([200, 200]);
  expect(model.requests).toHaveLength(2);
});

test.each(["factotum:plain", "factotum"])(
  "thoughts of an interrupted attempt are not part of the complete answer, and are separated in a stream: %s",
  async (id) => {
    await using hasty = await startTestGateway({ clock: hastyClock, patch: withModel(model.baseUrl) });
    const thoughtful = (thinking: string, text: string): Extract<AnthropicReply, { type: "message" }> => ({
      type: "message",
      content: [
        { type: "thinking", thinking },
        { type: "text", text },
      ],
    });
    const first = "A first idea, which is never finished. ".repeat(40);
    const cut: AnthropicReply = { ...thoughtful(first, "No."), fault: { type: "cut", afterBytes: 2_000 } };
    model.script([cut, thoughtful("A second idea.", "Here."), cut, thoughtful("A second idea.", "Here.")]);
    const ask = async (stream: boolean): Promise<Response> =>
      fetch(`${hasty.gateway.url}/v1/chat/completions`, {
        method: "POST",
        headers: { authorization: `Bearer ${hasty.token}`, "x-factotum-reasoning": "on" },
        body: JSON.stringify({ model: id, stream, messages: [{ role: "user", content: "hello" }] }),
      });
    const whole = (await (await ask(false)).json()) as { readonly choices: readonly { readonly message: unknown }[] };
    expect(whole.choices[0]?.message).toMatchObject({ content: "Here.", reasoning_content: "A second idea." });
    const streamed = [...(await (await ask(true)).text()).matchAll(/"reasoning_content":("(?:[^"\\]|\\.)*")/g)];
    const reasoning = streamed.map(([, text = '""']) => JSON.parse(text) as string).join("");
    expect(reasoning).toMatch(/^A first idea[^\n]*\n\nA second idea\.$/);
  },
);
