import { ChannelError } from "@factotum/channel-contract";
import type { ManualClock } from "@factotum/testing-channels";
import { describe, expect, test } from "vitest";
import { createTestHost } from "../test/test-host.ts";
import { createBotIdentity } from "./index.ts";
import type { BotIdentity } from "./index.ts";

interface Bot {
  readonly id: string;
}

const BOT: Bot = { id: "bot" };
const HEALTHY = { state: "connected" } as const;
const { signal } = new AbortController();

/** A platform whose answers the test gives, oldest request first. */
function setUp(): { bot: BotIdentity<Bot>; clock: ManualClock; requests: PromiseWithResolvers<Bot>[] } {
  const host = createTestHost();
  const requests: PromiseWithResolvers<Bot>[] = [];
  const ask = async (): Promise<Bot> => {
    const request = Promise.withResolvers<Bot>();
    requests.push(request);
    return request.promise;
  };
  return { bot: createBotIdentity({ ask, consequence: "messages are refused", host, signal }), clock: host.clock, requests };
}

const outcome = async (bot: BotIdentity<Bot>): Promise<unknown> =>
  bot.getForEvent({ signal }).catch((error: unknown) => (ChannelError.isInstance(error) ? error.message : error));

test("many callers share one request, and its answer is kept", async () => {
  const { bot, clock, requests } = setUp();
  const asked = Promise.all([bot.get({ signal }), bot.getForEvent({ signal }), bot.getForEvent({ signal })]);
  expect(bot.known).toBeUndefined();
  requests[0]?.resolve(BOT);
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
    requests[0]?.resolve(BOT);
    expect(await bot.get({ signal })).toEqual(BOT);
    expect(await outcome(bot)).toEqual(BOT);
  });

  test("no more than 16 events wait at once", async () => {
    const { bot, requests } = setUp();
    const waiting = Array.from({ length: 16 }, () => outcome(bot));
    expect(await outcome(bot)).toContain("too many events");
    requests[0]?.resolve(BOT);
    expect(await Promise.all(waiting)).toEqual(waiting.map(() => BOT));
  });

  test("an aborted caller ends its wait, and not the request", async () => {
    const { bot, clock, requests } = setUp();
    const gone = new AbortController();
    const event = bot.getForEvent({ signal: gone.signal });
    gone.abort();
    await expect(event).rejects.toMatchObject({ code: "unreachable", retry: { type: "backoff" } });
    await expect(bot.get({ signal: gone.signal })).rejects.toMatchObject({ code: "unreachable" });
    expect(clock.pending).toEqual([]);
    requests[0]?.resolve(BOT);
    expect(await outcome(bot)).toEqual(BOT);
  });
});

test("a failure is remembered for 10 seconds for events, and named in the health; a start asks again at once", async () => {
  const { bot, clock, requests } = setUp();
  const first = outcome(bot);
  requests[0]?.reject(new Error("no route"));
  expect(await first).toBe("the platform has not named the bot: no route");
  expect(bot.addTo(HEALTHY)).toEqual({ state: "connected", detail: "messages are refused: no route" });
  expect(bot.addTo({ state: "stopped" })).toEqual({ state: "stopped" });
  clock.advance(9999);
  expect(await outcome(bot)).toContain("no route");
  expect(requests).toHaveLength(1);
  const start = bot.get({ signal });
  requests[1]?.reject(new TypeError("not the documented form"));
  await expect(start).rejects.toBeInstanceOf(TypeError);
  clock.advance(10_000);
  const next = outcome(bot);
  requests[2]?.resolve(BOT);
  expect(await next).toEqual(BOT);
  expect(bot.addTo(HEALTHY)).toEqual(HEALTHY);
});
