import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { ChannelError } from "@factotum/channel-contract";
import type { SendReceipt } from "@factotum/channel-contract";
import { startAnthropicServer, textReply } from "@factotum/testing-providers";
import { expect, test } from "vitest";
import { realClock, startTestGateway, TestPlatform, withModel } from "../../test/gateway-harness.ts";

const WRONG_SECRET: SendReceipt = { type: "rejected", code: "unauthorized", retry: { type: "never" }, message: "app secret invalid" };

const texts = (platform: TestPlatform): string[] => platform.sent.map(({ outbound }) => (outbound.type === "text" ? outbound.text : ""));

test("a rejected account is degraded and loses nothing; its messages are sent in order once it works again", async () => {
  await using server = await startAnthropicServer();
  server.script([textReply("first"), textReply("second")]);
  const platform = new TestPlatform();
  let isRefused = true;
  platform.answer = () => (isRefused ? WRONG_SECRET : undefined);
  await using running = await startTestGateway({ platform, patch: withModel(server.baseUrl) });
  const status = async () => running.gateway.status();
  await platform.say(platform.message("one"));
  await expect
    .poll(async () => (await status()).channels[0])
    .toMatchObject({
      channel: "test",
      accountId: "default",
      state: "degraded",
      detail: "messages cannot be sent: unauthorized: app secret invalid",
    });
  await platform.say(platform.message("two"));
  await expect
    .poll(async () => (await status()).outbox)
    .toMatchObject({ deadLettered: 0, blocked: [{ waiting: 2, reason: "unauthorized: app secret invalid" }] });
  isRefused = false;
  await platform.waitForSends(2);
  expect(texts(platform)).toEqual(["first", "second"]);
  await expect.poll(async () => (await status()).channels[0]?.state).toBe("connected");
  await expect.poll(async () => (await status()).outbox).toEqual({ waiting: 0, deadLettered: 0, ambiguous: 0, blocked: [] });
});

test("messages that expired meanwhile are reported in their conversation once the account works, once, also across restarts", async () => {
  await using server = await startAnthropicServer();
  server.respond(({ body }) =>
    textReply(
      `answer to ${
        JSON.stringify(body)
          .match(/question \w+/g)
          ?.at(-1) ?? ""
      }`,
    ),
  );
  const platform = new TestPlatform();
  platform.answer = () => WRONG_SECRET;
  const patch = withModel(server.baseUrl);
  const first = await startTestGateway({ platform, patch });
  for (const [index, text] of ["question one", "question two"].entries()) {
    await platform.say(platform.message(text));
    await expect.poll(async () => (await first.gateway.status()).outbox.blocked).toMatchObject([{ waiting: index + 1 }]);
  }
  await first.stop();
  // Simulates that a day has passed.
  const database = new DatabaseSync(path.join(first.home, "state", "factotum.sqlite"));
  expect(database.prepare("UPDATE outbox SET expires_at = 1 WHERE state IN ('waiting', 'sending')").run().changes).toBe(2);
  database.close();

  const second = await startTestGateway({ platform, home: first.home, patch });
  await expect.poll(async () => (await second.gateway.status()).outbox).toMatchObject({ waiting: 0, deadLettered: 2 });
  expect(texts(platform)).toEqual([]);
  platform.answer = () => undefined;
  await platform.say(platform.message("question three"));
  await platform.waitForSends(2);
  expect(texts(platform)).toEqual([
    "answer to question three",
    expect.stringMatching(
      /^I could not send here for a while, and 2 messages of mine ran out of time:\n- .* UTC: answer to question one\n- .* UTC: answer to question two\nPlease ask again/,
    ),
  ]);
  await second.stop();

  await using third = await startTestGateway({ platform, home: first.home, patch });
  await platform.say(platform.message("question four"));
  await platform.waitForSends(3);
  await third.gateway.engine.idle();
  expect(texts(platform).slice(2)).toEqual(["answer to question four"]);
});

test("a channel that could not start because of its credential is restarted as soon as the account works", async () => {
  await using server = await startAnthropicServer();
  server.respond(() => textReply("Here."));
  const platform = new TestPlatform();
  const account = platform.account();
  let starts = 0;
  const accounts = [
    {
      ...account,
      create: async (...given: Parameters<typeof account.create>) => ({
        ...(await account.create(...given)),
        start: async () => {
          starts += 1;
          if (starts === 1) throw new ChannelError("unauthorized", "app secret invalid", { retry: { type: "never" } });
        },
      }),
    },
  ];
  const waits: number[] = [];
  const clock: typeof realClock = {
    ...realClock,
    schedule: (delayMs, callback) => {
      if (delayMs > 60_000) waits.push(delayMs);
      return realClock.schedule(delayMs, callback);
    },
  };
  await using running = await startTestGateway({ accounts, clock, patch: withModel(server.baseUrl) });
  await expect
    .poll(async () => (await running.gateway.status()).channels[0])
    .toMatchObject({ state: "failed", detail: "app secret invalid" });
  // It would be retried anyway, but much later.
  await expect.poll(() => waits.some((delayMs) => delayMs <= 15 * 60_000)).toBe(true);
  await platform.say(platform.message("one"));
  await expect.poll(async () => (await running.gateway.status()).channels[0]?.state).toBe("connected");
  expect(starts).toBe(2);
});

test("an answer of another form is one line of the status, for a failed start and for the state of a connection", async () => {
  await using server = await startAnthropicServer();
  const platform = new TestPlatform();
  const account = platform.account();
  const issues = new Error(
    JSON.stringify([{ code: "invalid_type", path: ["bot", "id"], message: "Invalid input: expected string" }], null, 2),
  );
  let hasFailed = false;
  const accounts = [
    {
      ...account,
      create: async (...given: Parameters<typeof account.create>) => ({
        ...(await account.create(...given)),
        start: async () => {
          hasFailed = true;
          throw issues;
        },
      }),
    },
    {
      ...account,
      accountId: "second",
      config: { ...account.config, accountId: "second" },
      create: async (...given: Parameters<typeof account.create>) => ({
        ...(await account.create(...given)),
        health: () => ({ state: "disconnected" as const, detail: `it is asked for again: ${issues.message}` }),
      }),
    },
  ];
  await using running = await startTestGateway({ accounts, patch: withModel(server.baseUrl) });
  await expect.poll(() => hasFailed).toBe(true);
  const { channels } = await running.gateway.status();
  const line = "the platform's answer has an unexpected form (bot.id: Invalid input: expected string): check";
  expect(channels[0]?.detail).toSatisfy((detail: string) => detail.startsWith(line) && !detail.includes("\n"));
  expect(channels[1]?.detail).toSatisfy((detail: string) => detail.startsWith(`it is asked for again: ${line}`) && !detail.includes("\n"));
});
