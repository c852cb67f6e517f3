import { writeFile } from "node:fs/promises";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { startAnthropicServer, textReply } from "@factotum/testing-providers";
import { expect, test } from "vitest";
import { startTestGateway, withModel } from "../../test/gateway-harness.ts";
import { TestClient } from "../../test/test-client.ts";

const KEY = "agent:main:main";

/** Number of conversations in the database, including unfinished imports. */
function conversations(home: string): number {
  const database = new DatabaseSync(path.join(home, "state", "factotum.sqlite"), { readOnly: true });
  const count = Number(database.prepare("SELECT count(*) AS n FROM conversations").get()?.["n"]);
  database.close();
  return count;
}

test("show returns a session's settings, counters and prompt composition, and no secret", async () => {
  await using model = await startAnthropicServer();
  model.respond(() => textReply("Yes."));
  const skill = {
    name: "post",
    description: "sends letters with sk-test-secret",
    location: "./skills/post/SKILL.md",
    source: "workspace",
    folder: "/nowhere",
  } as const;
  await using running = await startTestGateway({ patch: withModel(model.baseUrl), skills: { list: async () => [skill] } });
  using client = await TestClient.connect(running.gateway.url, running.token);
  await client.call("agent", { message: "hello", idempotencyKey: "1" });
  await client.call("sessions.patch", { key: KEY, label: "Home" });
  const { session, entry } = await client.call("sessions.show", { key: KEY });
  expect(session).toMatchObject({ key: KEY, label: "Home" });
  expect(entry).toMatchObject({ label: "Home", sessionId: session.sessionId, lastChannel: "cli", compactionCount: 0 });
  expect(entry["skillsSnapshot"]).toEqual({ prompt: expect.stringContaining("sends letters with [hidden]") as string });
  expect(entry["systemPromptReport"]).toMatchObject({
    cause: "new-session",
    sections: expect.arrayContaining([expect.objectContaining({ id: "skills", chars: expect.any(Number) as number })]) as object[],
    tools: expect.arrayContaining([expect.objectContaining({ name: "read" })]) as object[],
  });
  await expect(client.call("sessions.show", { key: "agent:main:none" })).rejects.toThrow("There is no session");
});

test("an export returns every entry once over its parts, and ends when the session is reset", async () => {
  await using running = await startTestGateway();
  using client = await TestClient.connect(running.gateway.url, running.token);
  const { store } = running;
  const made = await store.createSession({ key: KEY, sessionId: "s1", agentId: "main", isPrivate: true, displayName: "x" }, { nowMs: 1 });
  const texts = Array.from({ length: 450 }, (_, index) => (index === 7 ? "x".repeat(900_000) : `line ${index}`));
  for (const text of texts) await store.appendEntry(made.sessionId, { type: "notice", level: "info", text }, { timestampMs: 1 });
  const seen: string[] = [];
  let parts = 0;
  let from = {};
  for (;;) {
    const part = await client.call("sessions.export", { key: KEY, ...from });
    parts += 1;
    seen.push(...part.lines.map((line) => JSON.parse(line) as { text?: string }).flatMap(({ text }) => text ?? []));
    if (part.after === undefined) break;
    from = { sessionId: part.sessionId, after: part.after };
  }
  expect(parts).toBe(4);
  expect(seen).toEqual(texts);
  await client.call("sessions.reset", { key: KEY });
  await expect(client.call("sessions.export", { key: KEY, ...from })).rejects.toThrow("was reset");
});

test("an import notifies subscribers of the session list, and explains what to do when it is refused", async () => {
  await using running = await startTestGateway();
  using client = await TestClient.connect(running.gateway.url, running.token);
  const file = path.join(running.home, "theirs.jsonl");
  await writeFile(file, `${JSON.stringify({ type: "session", id: "x1" })}\n${JSON.stringify({ role: "user", content: "hello" })}\n`);
  const report = await client.call("sessions.import", { path: file });
  expect(report.imported).toMatchObject([{ key: "agent:main:import:x1", entries: 1, problems: [] }]);
  const change = await client.until(() => client.frames.find((frame) => frame.type === "event" && frame.event === "sessions-change"));
  expect(change).toMatchObject({ payload: { keys: ["agent:main:import:x1"] } });
  await expect(client.call("sessions.import", { path: "theirs.jsonl" })).rejects.toThrow("absolute");
  await expect(client.call("sessions.import", { path: file, agentId: "ghost" })).rejects.toThrow("Configured: main");
  await expect(client.call("sessions.import", { path: file, key: "junk" })).rejects.toThrow("agent:main:main");
  await expect(client.call("sessions.import", { path: running.home, key: KEY })).rejects.toThrow("brings its own keys");
  await expect(client.call("sessions.import", { path: running.home })).rejects.toThrow("Name the folder that holds sessions.json");
  await expect(client.call("sessions.import", { path: path.join(running.home, "nowhere") })).rejects.toThrow("cannot be read");
});

test("an import ends with its connection or the gateway, and leaves nothing behind", async () => {
  await using running = await startTestGateway();
  const file = path.join(running.home, "theirs.jsonl");
  const lines = Array.from({ length: 20_000 }, (_, index) => JSON.stringify({ role: "user", content: `${index} ${"x".repeat(200)}` }));
  await writeFile(file, [JSON.stringify({ type: "session", id: "x1" }), ...lines].join("\n"));
  const { store, gateway } = running;
  const asking = await TestClient.connect(gateway.url, running.token);
  void asking.call("sessions.import", { path: file }).catch(() => undefined);
  await expect.poll(() => conversations(running.home)).toBe(1);
  asking[Symbol.dispose]();
  await expect.poll(() => conversations(running.home)).toBe(0);
  using other = await TestClient.connect(gateway.url, running.token);
  const stopped = other.call("sessions.import", { path: file });
  stopped.catch(() => undefined);
  await expect.poll(() => conversations(running.home)).toBe(1);
  gateway.engine.transfer.close("the test ends");
  await expect(stopped).rejects.toThrow("shutting down");
  await expect.poll(() => conversations(running.home)).toBe(0);
  expect((await store.listSessions({ limit: 5 })).items).toEqual([]);
});
