import type { TranscriptBody } from "@factotum/store";
import type { RpcMethods } from "@factotum/protocol";
import fc from "fast-check";
import { expect, test } from "vitest";
import { startTestGateway } from "../../test/gateway-harness.ts";
import type { TestGateway } from "../../test/gateway-harness.ts";
import { TestClient } from "../../test/test-client.ts";
import { MAX_PAGE_BYTES } from "./history-page.ts";

type Page = RpcMethods["chat.history"]["result"];

const notice = (text: string): TranscriptBody => ({ type: "notice", level: "info", text });
/** Not shown to clients. */
const HIDDEN: TranscriptBody = { type: "replacement", messages: [] };

const bytesOf = ({ entries }: Page): number => entries.reduce((sum, entry) => sum + Buffer.byteLength(JSON.stringify(entry)), 0);
const textsOf = ({ entries }: Page): string[] => entries.map((entry) => (entry.type === "notice" ? entry.text : ""));

async function createSession(running: TestGateway, name: string, bodies: readonly TranscriptBody[]): Promise<string> {
  const sessionKey = `agent:main:http:${name}`;
  const { sessionId } = await running.store.createSession(
    { key: sessionKey, sessionId: `s-${name}`, agentId: "main", isPrivate: false, displayName: name },
    { nowMs: 1 },
  );
  for (const body of bodies) await running.store.appendEntry(sessionId, body, { timestampMs: 1 });
  return sessionKey;
}

test("30 answers of 900,000 characters come one at a time, in the snapshot and in the history", async () => {
  await using running = await startTestGateway();
  using client = await TestClient.connect(running.gateway.url, running.token);
  const texts = Array.from({ length: 30 }, (_, n) => String(n).padEnd(900_000, "x"));
  const sessionKey = await createSession(running, "large", texts.map(notice));
  let page: Page = await client.call("chat.subscribe", { sessionKey });
  for (const text of texts.toReversed()) {
    expect(textsOf(page)).toEqual([text]);
    if (page.before !== undefined) page = await client.call("chat.history", { sessionKey, before: page.before });
  }
  expect(page.before).toBeUndefined();
});

test("an entry that is larger than a page is not withheld", async () => {
  await using running = await startTestGateway();
  using client = await TestClient.connect(running.gateway.url, running.token);
  const huge = "ä".repeat(MAX_PAGE_BYTES);
  const sessionKey = await createSession(running, "huge", [notice("first"), notice(huge), notice("last")]);
  const newest = await client.call("chat.history", { sessionKey });
  expect(textsOf(newest)).toEqual(["last"]);
  const middle = await client.call("chat.history", { sessionKey, before: newest.before ?? "" });
  expect(textsOf(middle)).toEqual([huge]);
  expect(textsOf(await client.call("chat.history", { sessionKey, before: middle.before ?? "" }))).toEqual(["first"]);
});

test("paging from the end to the beginning shows every entry once, in pages of bounded size", async () => {
  await using running = await startTestGateway();
  const { sessions } = running.gateway.engine;
  let runs = 0;
  const sizes = fc.array(fc.oneof(fc.constant(undefined), fc.constantFrom(0, 10, 300_000, 500_000, MAX_PAGE_BYTES, 2 * MAX_PAGE_BYTES)), {
    maxLength: 12,
  });
  await fc.assert(
    fc.asyncProperty(sizes, fc.integer({ min: 1, max: 5 }), async (wanted, limit) => {
      const bodies = wanted.map((size, n) => (size === undefined ? HIDDEN : notice(String(n).padEnd(size, "x"))));
      const sessionKey = await createSession(running, `p${(runs += 1)}`, bodies);
      const seen: string[] = [];
      let before: string | undefined;
      for (let pages = 0; pages <= bodies.length; pages += 1) {
        const page = await sessions.history(sessionKey, { limit, ...(before === undefined ? {} : { before }) });
        expect(page.entries.length).toBeLessThanOrEqual(limit);
        if (page.entries.length > 1) expect(bytesOf(page)).toBeLessThanOrEqual(MAX_PAGE_BYTES);
        seen.unshift(...textsOf(page));
        before = page.before;
        if (before === undefined) break;
      }
      expect(before).toBeUndefined();
      expect(seen).toEqual(bodies.flatMap((body) => (body.type === "notice" ? [body.text] : [])));
    }),
    { numRuns: 60 },
  );
});
