import { readFile } from "node:fs/promises";
import type { Origin } from "@factotum/channel-contract";
import type { FactotumConfig } from "@factotum/config";
import { startAnthropicServer, textReply, toolReply } from "@factotum/testing-providers";
import { expect, test, vi } from "vitest";
import { startTestGateway, TestPlatform, withModel } from "../../test/gateway-harness.ts";
import { isLongText, longTextNotice, shortenText } from "./long-message.ts";

const WINDOW = 20_000;
const LONG = `begins here ${"lorem ipsum ".repeat(30_000)} ends here`;
const REMARK = `Your message is longer than the model can take at once (${LONG.length.toLocaleString("en-US")} characters): it was given the beginning and the end. The whole text is kept in a file that it can read.`;

function small(baseUrl: string): (config: FactotumConfig) => FactotumConfig {
  return (config) => {
    const base = withModel(baseUrl)(config);
    const anthropic = base.models.providers["anthropic"];
    if (anthropic === undefined) throw new Error("no provider");
    const models = [{ id: "claude-sonnet-5-5", contextWindow: WINDOW, maxOutput: 1000 }];
    return { ...base, models: { ...base.models, providers: { anthropic: { ...anthropic, models } } } };
  };
}

/** The path in the media note of a request. */
function fileIn(body: unknown): string {
  return /media:\/\/inbound\/[0-9a-f]{32}[^\]]*?(\/[^\s\\\]"]+\.txt)/.exec(JSON.stringify(body))?.[1] ?? "";
}

const texts = (platform: TestPlatform): readonly string[] =>
  platform.sent.map(({ outbound }) => (outbound.type === "text" ? outbound.text : outbound.type));

test.each(["direct", "group"] as const)(
  "a message larger than the window, in a %s chat, is stored in a file and truncated, and its sender is notified",
  async (kind) => {
    await using server = await startAnthropicServer();
    server.respond(() => textReply("Noted."));
    const platform = new TestPlatform();
    const accountConfig = { groupPolicy: "open" as const, groups: { "*": { requireMention: false } } };
    await using running = await startTestGateway({ platform, accountConfig, patch: small(server.baseUrl) });
    const origin: Origin = { ...platform.message("x").origin, ...(kind === "group" ? { conversation: { kind, id: "group-1" } } : {}) };
    await platform.say(platform.message(LONG, { origin }));
    await platform.waitForSends(1);
    await running.gateway.engine.idle();
    expect(server.requests).toHaveLength(1);
    const [request] = server.requests;
    expect(request?.bytes.length).toBeLessThan(WINDOW * 4);
    const sent = JSON.stringify(request?.body);
    expect(sent).toContain("begins here");
    expect(sent).toContain("ends here");
    expect(sent).toMatch(
      /\([\d,]+ of the 360,022 characters of this message are left out here\. The whole text is in the file media:\/\/inbound\/[0-9a-f]{32}\.\)/,
    );
    expect(await readFile(fileIn(request?.body), "utf8")).toBe(LONG);
    expect(texts(platform)).toEqual([`Noted.\n\n_${REMARK}_`]);
    // Later turns replay the cut text without the hint.
    await platform.say(platform.message("and now?", { origin }));
    await platform.waitForSends(2);
    expect(texts(platform)[1]).toBe("Noted.");
    expect(server.requests.at(-1)?.bytes.length).toBeLessThan(WINDOW * 4);
    expect(server.violations).toEqual([]);
  },
);

test.each([
  { whose: "the owner", owner: true },
  { whose: "somebody else", owner: false },
])("the file of a long message of $whose is tainted unless it is the owner's", async ({ owner }) => {
  await using server = await startAnthropicServer();
  server.respond(() => textReply("Noted."));
  const platform = new TestPlatform();
  const accountConfig = { dmPolicy: "open" as const, allowFrom: ["*"] };
  await using running = await startTestGateway({ platform, accountConfig, patch: small(server.baseUrl) });
  const put = vi.spyOn(running.gateway.engine.parts.media.store, "put");
  const stranger = {
    origin: { channel: "test", accountId: "default", conversation: { kind: "direct", id: "dm-2" } },
    sender: { id: "stranger-1", name: "Sam", isBot: false },
  } as const;
  await platform.say(platform.message(LONG, owner ? {} : stranger));
  await platform.waitForSends(1);
  await running.gateway.engine.idle();
  expect(put.mock.calls.map(([, { untrusted }]) => untrusted)).toEqual([!owner]);
});

test("a message larger than the window that joins a run is stored in a file and truncated, and its sender is notified", async () => {
  await using server = await startAnthropicServer();
  server.script([toolReply({ name: "ls", input: {} }), textReply("Noted.")]);
  const platform = new TestPlatform();
  await using running = await startTestGateway({ platform, patch: small(server.baseUrl) });
  const gate = server.hold();
  await platform.say(platform.message("look around"));
  await server.nextRequest();
  await platform.say(platform.message(LONG));
  gate.open();
  await platform.waitForSends(1);
  await running.gateway.engine.idle();
  const last = server.requests.at(-1);
  expect(server.requests).toHaveLength(2);
  expect(last?.bytes.length).toBeLessThan(WINDOW * 4);
  expect(await readFile(fileIn(last?.body), "utf8")).toBe(LONG);
  expect(texts(platform).at(-1)).toContain(REMARK);
  expect(server.violations).toEqual([]);
});

test("a long message causes a compaction instead of being refused", async () => {
  await using server = await startAnthropicServer();
  server.respond(({ body }) => textReply(JSON.stringify(body).includes("You condense the record") ? "Known: words." : "Noted."));
  const platform = new TestPlatform();
  await using _running = await startTestGateway({ platform, patch: small(server.baseUrl) });
  for (let index = 0; index < 3; index += 1) {
    await platform.say(platform.message(`word-${index} ${"lorem ipsum ".repeat(700)}`));
    await platform.waitForSends(index + 1);
  }
  const before = server.requests.length;
  await platform.say(platform.message(`large ${"lorem ipsum ".repeat(3_000)}`));
  await platform.waitForSends(4);
  const answered = server.requests.slice(before).filter(({ body }) => JSON.stringify(body).includes("large lorem"));
  expect(JSON.stringify(answered[0]?.body)).toContain("Known: words.");
  expect(texts(platform).at(-1)).toBe("Noted.");
});

test("a text of any language is truncated to the window, and one that fits is unchanged", async () => {
  const kept: string[] = [];
  const store = {
    put: async (bytes: Uint8Array, facts: object) => {
      kept.push(Buffer.from(bytes).toString());
      return { ...facts, id: "0".repeat(32), path: "/media/message.txt" } as never;
    },
  };
  const place = { sessionId: "s", sessionKey: "k", untrusted: true };
  for (const text of ["字".repeat(100_000), "😀".repeat(60_000), "x".repeat(100_000)]) {
    const made = await shortenText(text, 16_000, place, store);
    expect(isLongText(made.text, 16_000)).toBe(false);
    expect(made.text.isWellFormed()).toBe(true);
    expect(made.file).toMatchObject({ path: "/media/message.txt" });
    expect(kept.at(-1)).toBe(text);
  }
  kept.length = 0;
  expect(await shortenText("x".repeat(30_000), 16_000, place, store)).toEqual({ text: "x".repeat(30_000) });
  expect(kept).toEqual([]);
  expect(longTextNotice(["short"], { window: 16_000, isKept: true })).toBeUndefined();
  expect(longTextNotice(["x".repeat(100_000), "y".repeat(100_000)], { window: 16_000, isKept: true })).toContain("2 messages are longer");
});
