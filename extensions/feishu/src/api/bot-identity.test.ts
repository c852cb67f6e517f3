import { describe, expect, test } from "vitest";
import { ManualClock } from "../../test/manual-clock.ts";
import { FeishuFailure } from "../errors.ts";
import { createBotIdentity } from "./bot-identity.ts";
import type { BotIdentity } from "./bot-identity.ts";

const BOT = { openId: "ou_bot", name: "Factotum" };
const ANSWER = { code: 0, bot: { open_id: BOT.openId, app_name: BOT.name } };
const HEALTHY = { state: "connected" } as const;
const signal = new AbortController().signal;

/** A platform whose answers the test gives, oldest request first. */
function setUp(): { bot: BotIdentity; clock: ManualClock; requests: PromiseWithResolvers<unknown>[] } {
  const clock = new ManualClock();
  const requests: PromiseWithResolvers<unknown>[] = [];
  const call = async (): Promise<unknown> => {
    const request = Promise.withResolvers<unknown>();
    requests.push(request);
    return request.promise;
  };
  return { bot: createBotIdentity({ call }, { clock }, { signal }), clock, requests };
}

const outcome = async (bot: BotIdentity): Promise<unknown> =>
  bot.getForEvent({ signal }).catch((error: unknown) => (error instanceof FeishuFailure ? error.message : error));

test("many callers share one request, and its answer is kept", async () => {
  const { bot, clock, requests } = setUp();
  const asked = Promise.all([bot.get({ signal }), bot.getForEvent({ signal }), bot.getForEvent({ signal })]);
  expect(bot.known).toBeUndefined();
  requests[0]?.resolve(ANSWER);
  expect(await asked).toEqual([BOT, BOT, BOT]);
  expect(await outcome(bot)).toEqual(BOT);
  expect(bot.known).toEqual(BOT);
  expect(requests).toHaveLength(1);
  expect(clock.pending).toEqual([]);
});

describe("while the platform does not answer", () => {
  test("events wait 2 seconds from the start of the request, later ones not at all", async () => {
    const { bot, clock, requests } = setUp();
    const first = outcome(bot);
    clock.advance(1500);
    const second = outcome(bot);
    expect(clock.pending).toEqual([500, 500]);
    clock.advance(500);
    for (const event of [first, second, outcome(bot)]) expect(await event).toContain("no answer yet");
    expect(requests).toHaveLength(1);
    // The answer is late and not lost.
    requests[0]?.resolve(ANSWER);
    expect(await bot.get({ signal })).toEqual(BOT);
    expect(await outcome(bot)).toEqual(BOT);
  });

  test("no more than 16 events wait at once", async () => {
    const { bot, requests } = setUp();
    const waiting = Array.from({ length: 16 }, () => outcome(bot));
    expect(await outcome(bot)).toContain("too many events");
    requests[0]?.resolve(ANSWER);
    expect(await Promise.all(waiting)).toEqual(waiting.map(() => BOT));
  });

  test("an event whose caller has gone ends its wait, and not the request", async () => {
    const { bot, clock, requests } = setUp();
    const gone = new AbortController();
    const event = bot.getForEvent({ signal: gone.signal });
    gone.abort();
    await expect(event).rejects.toBeInstanceOf(FeishuFailure);
    await expect(bot.get({ signal: gone.signal })).rejects.toMatchObject({ reason: { type: "not-sent" } });
    expect(clock.pending).toEqual([]);
    requests[0]?.resolve(ANSWER);
    expect(await outcome(bot)).toEqual(BOT);
  });
});

test("a failure is remembered for 10 seconds for events, and named in the health; a start asks again at once", async () => {
  const { bot, clock, requests } = setUp();
  const first = outcome(bot);
  requests[0]?.reject(new FeishuFailure({ type: "no-answer" }, "no route"));
  expect(await first).toContain("no route");
  expect(bot.addTo(HEALTHY)).toMatchObject({ state: "connected", detail: expect.stringContaining("no route") as string });
  clock.advance(9999);
  expect(await outcome(bot)).toContain("no route");
  expect(requests).toHaveLength(1);
  const start = bot.get({ signal });
  requests[1]?.resolve({ code: 0, bot: {} });
  await expect(start).rejects.toThrow("documented form");
  clock.advance(10_000);
  const next = outcome(bot);
  requests[2]?.resolve(ANSWER);
  expect(await next).toEqual(BOT);
  expect(bot.addTo(HEALTHY)).toEqual(HEALTHY);
});
