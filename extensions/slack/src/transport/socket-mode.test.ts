import { TestHost } from "@factotum/channel-conformance";
import type { Channel } from "@factotum/channel-contract";
import { FakeSlack, ManualClock, slackCommand, slackEventBody, slackMessageEvent } from "@factotum/testing-channels";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createSlackChannel } from "../index.ts";

const { signal } = new AbortController();
let clock: ManualClock;
let slack: FakeSlack;
let host: TestHost;
let channel: Channel;

beforeEach(async () => {
  clock = new ManualClock();
  slack = await FakeSlack.start({ now: () => clock.now() });
  host = new TestHost({ clock });
  channel = create();
});
afterEach(async () => {
  await channel.stop({ signal: AbortSignal.abort() });
  await slack[Symbol.asyncDispose]();
});

function create(appToken: string = slack.app.appToken): Channel {
  return createSlackChannel({ botToken: slack.app.botToken, baseUrl: slack.baseUrl, transport: { type: "socket", appToken } }, host);
}

const event = (text: string): object => {
  const added = slack.addMessage({ channel: "D0ALICE", user: "U0ALICE", text });
  return slackEventBody(slack.app, slackMessageEvent(slack.app, added));
};
async function until(condition: () => boolean): Promise<void> {
  for (let turn = 0; turn < 100_000 && !condition(); turn += 1) await new Promise((resolve) => setImmediate(resolve));
  expect(condition()).toBe(true);
}

test.each(["refresh_requested", "warning"])("%s opens the next connection before the old one ends; nothing is lost", async (reason) => {
  await channel.start({ signal });
  const release = host.hold();
  const early = slack.socketMode.deliver("events_api", event("during the change"));
  await host.handedOver(1);
  slack.socketMode.send({ type: "disconnect", reason, debug_info: { host: "fake" } });
  await slack.socketMode.connected(2);
  expect(slack.socketMode.open).toBe(2);
  release();
  // It is acknowledged on the connection on which it came.
  expect(await early).toBe("acknowledged");
  await until(() => slack.socketMode.open === 1);
  expect(await slack.socketMode.deliver("events_api", event("after it"))).toBe("acknowledged");
  expect(channel.health().state).toBe("connected");
  expect(host.stored.map(({ text }) => text)).toEqual(["during the change", "after it"]);
});

test("a connection that has gone silent is closed after 35 seconds, and opened again", async () => {
  await channel.start({ signal });
  slack.socketMode.freeze();
  clock.advance(15_000);
  clock.advance(15_000);
  expect(channel.health().state).toBe("connected");
  clock.advance(15_000);
  expect(channel.health()).toMatchObject({ state: "disconnected", detail: "Slack has gone silent" });
  clock.advance(1_000);
  await slack.socketMode.connected(2);
  await until(() => channel.health().state === "connected");
});

test("a ping of the platform's is a sign of life", async () => {
  await channel.start({ signal });
  const { evidenceAtMs } = channel.health();
  clock.advance(15_000);
  await until(() => channel.health().evidenceAtMs !== evidenceAtMs);
  expect(channel.health().evidenceAtMs).toBe(clock.now());
});

test("the health reports that Socket Mode is turned off", async () => {
  await channel.start({ signal });
  slack.socketMode.send({ type: "disconnect", reason: "link_disabled" });
  await until(() => channel.health().state === "disconnected");
  expect(channel.health().detail).toContain("turned off");
});

describe("a start", () => {
  test("with a wrong app-level token is unauthorized", async () => {
    const other = create("xapp-wrong");
    await expect(other.start({ signal })).rejects.toMatchObject({ code: "unauthorized", retry: { type: "never" } });
    await other.stop({ signal });
  });

  test("without a greeting ends after 15 seconds, and leaves no connection", async () => {
    slack.socketMode.silent = true;
    const start = channel.start({ signal });
    await slack.socketMode.connected();
    clock.advance(15_000);
    await expect(start).rejects.toMatchObject({ code: "unreachable" });
    await until(() => slack.socketMode.open === 0);
  });

  test("that is stopped leaves no connection", async () => {
    slack.socketMode.silent = true;
    const start = channel.start({ signal });
    await slack.socketMode.connected();
    await Promise.all([expect(start).rejects.toThrow(), channel.stop({ signal })]);
    await until(() => slack.socketMode.open === 0);
  });
});

test("while the platform cannot be reached, it is tried again with growing delays", async () => {
  await channel.start({ signal });
  for (let count = 0; count < 3; count += 1) slack.failNextRead({ type: "http", status: 503 });
  slack.socketMode.drop();
  await until(() => channel.health().state === "disconnected");
  const retries = (): number => host.logLines.filter((line) => line.includes("slack connection lost")).length;
  for (let attempt = 1; attempt <= 3; attempt += 1) {
    expect(channel.health().state).toBe("disconnected");
    clock.advance(8_000);
    await until(() => retries() === attempt + 1);
  }
  clock.advance(8_000);
  await slack.socketMode.connected(2);
  await until(() => channel.health().state === "connected");
});

test("a slash command is acknowledged after the commit", async () => {
  await channel.start({ signal });
  const input = { command: "/factotum", text: "think high", channel: "C0GENERAL", user: "U0ALICE", responseUrl: slack.responseUrl };
  expect(await slack.socketMode.deliver("slash_commands", slackCommand(slack.app, input))).toBe("acknowledged");
  expect(host.received[0]).toMatchObject({
    text: "think high",
    command: { name: "think", argumentsText: "high" },
    sender: { id: "U0ALICE" },
  });
});

test("a slash command that could not be stored is not acknowledged, however long that took", async () => {
  await channel.start({ signal });
  const release = host.hold();
  const input = { command: "/factotum", text: "think high", channel: "C0GENERAL", user: "U0ALICE", responseUrl: slack.responseUrl };
  const delivered = slack.socketMode.deliver("slash_commands", slackCommand(slack.app, input));
  await host.handedOver(1);
  clock.advance(10_000);
  host.failNext();
  release();
  expect(await delivered).toBe("unacknowledged");
});

test.each(["__proto__", "constructor", "toString"])("an event of type %s is acknowledged and ignored", async (type) => {
  await channel.start({ signal });
  expect(await slack.socketMode.deliver("events_api", slackEventBody(slack.app, { type }))).toBe("acknowledged");
  expect(host.stored).toEqual([]);
});
