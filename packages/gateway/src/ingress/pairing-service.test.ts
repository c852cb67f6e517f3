import type { Outbound } from "@factotum/channel-contract";
import { StoreError } from "@factotum/store";
import { startAnthropicServer, textReply } from "@factotum/testing-providers";
import type { AnthropicServer } from "@factotum/testing-providers";
import { afterEach, beforeEach, expect, test } from "vitest";
import { endsAsKilled, realClock, startTestGateway, TestPlatform, withMethods, withModel } from "../../test/gateway-harness.ts";
import type { TestGateway } from "../../test/gateway-harness.ts";

const HOUR_MS = 3_600_000;

let server: AnthropicServer;
let platform: TestPlatform;
let running: TestGateway;
let nowMs: number;
/** Entries that were written into the owner list. */
let owners: string[];
let mayWriteOwner: boolean;

beforeEach(async () => {
  server = await startAnthropicServer();
  server.respond(() => textReply("Well."));
  platform = new TestPlatform();
  nowMs = Date.now();
  owners = [];
  mayWriteOwner = true;
  await start();
});
afterEach(async () => {
  await running[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

async function start(options: Partial<Parameters<typeof startTestGateway>[0]> = {}): Promise<void> {
  running = await startTestGateway({
    platform,
    clock: { ...realClock, now: () => nowMs },
    patch: (config) => {
      const { commands } = config;
      return withModel(server.baseUrl)({ ...config, commands: { ...commands, ownerAllowFrom: [...owners] } });
    },
    ownerControl: {
      addFirstOwner: async (entry) => {
        if (!mayWriteOwner) return { type: "refused", message: "The file is read-only." };
        owners.push(entry);
        const { config } = running.gateway.engine.parts.running;
        await running.gateway.reload(running.settings({ ...config, commands: { ...config.commands, ownerAllowFrom: [...owners] } }));
        return { type: "done", isOwner: true };
      },
    },
    ...options,
  });
}

/** One direct message of a person; resolves when nothing is left to do. */
async function say(person: string, text = "hello", extra: object = {}): Promise<void> {
  await platform.say(
    platform.message(text, {
      origin: { channel: "test", accountId: "default", conversation: { kind: "direct", id: `dm-${person}` } },
      sender: { id: person, name: person, isBot: false },
      timestampMs: nowMs,
      ...extra,
    }),
  );
  await running.gateway.engine.idle();
}

const texts = (): readonly string[] => platform.sent.map(({ outbound }) => textOf(outbound));
const textOf = (outbound: Outbound): string => (outbound.type === "text" ? outbound.text : outbound.type);
const codes = (): readonly string[] => texts().flatMap((text) => /code is (\S+),/.exec(text)?.[1] ?? []);
const pairing = (): TestGateway["gateway"]["engine"]["pairing"] => running.gateway.engine.pairing;
const answered = (): number => server.requests.length;

test("an unknown sender gets one code and is not processed; an approved one is answered, and the first becomes the owner", async () => {
  await say("ann", "canary");
  await say("ann", "are you there?");
  expect(texts()).toHaveLength(1);
  expect(codes()[0]).toMatch(/^[A-HJ-NP-Z2-9]{8}$/);
  expect(platform.sent[0]?.target.conversation.id).toBe("dm-ann");
  expect(answered()).toBe(0);
  expect(await pairing().approve(codes()[0] ?? "", { guest: false })).toMatchObject({ owner: true, pairing: { senderId: "ann" } });
  expect(owners).toEqual(["test:ann"]);
  expect((await pairing().approved()).map((one) => pairing().isOwner(one))).toEqual([true]);
  await running.gateway.engine.idle();
  expect(texts()[1]).toContain("you are my owner now");
  expect(answered()).toBe(0);
  await say("ann", "now?");
  expect(answered()).toBe(1);
  expect(JSON.stringify(server.requests)).not.toContain("canary");
});

test("only the first approval ever makes an owner, and none does with --guest or an owner list", async () => {
  for (const person of ["ann", "bob", "cid"]) await say(person);
  const [ann = "", bob = "", cid = ""] = codes();
  expect((await pairing().approve(ann, { guest: true })).owner).toBe(false);
  expect((await pairing().approve(bob, { guest: false })).owner).toBe(false);
  await pairing().revoke({ channel: "test", accountId: "default", senderId: "ann" });
  await pairing().revoke({ channel: "test", accountId: "default", senderId: "bob" });
  expect((await pairing().approve(cid, { guest: false })).owner).toBe(false);
  expect(owners).toEqual([]);
  await say("cid");
  expect(answered()).toBe(1);
});

test("an account that is removed takes its approvals and codes with it, and those of no other account", async () => {
  for (const person of ["ann", "bob"]) await say(person);
  await pairing().approve(codes()[0] ?? "", { guest: true });
  for (const other of [
    { channel: "test", accountId: "north" },
    { channel: "irc", accountId: "default" },
  ])
    expect(await pairing().forgetAccount(other)).toBe(0);
  expect([await pairing().approved(), pairing().pending()]).toMatchObject([[{ senderId: "ann" }], [{ senderId: "bob" }]]);
  expect(await pairing().forgetAccount({ channel: "test", accountId: "default" })).toBe(2);
  expect([await pairing().approved(), pairing().pending()]).toEqual([[], []]);
});

test("nothing is approved if the owner cannot be stored, and the code stays valid", async () => {
  await say("ann");
  mayWriteOwner = false;
  await expect(pairing().approve(codes()[0] ?? "", { guest: false })).rejects.toThrow("The file is read-only.");
  await say("ann");
  expect(answered()).toBe(0);
  mayWriteOwner = true;
  expect((await pairing().approve(codes()[0] ?? "", { guest: false })).owner).toBe(true);
});

test("a code is written in any case and with dashes, works once, and expires after an hour", async () => {
  await say("ann");
  const code = codes()[0] ?? "";
  nowMs += HOUR_MS;
  await expect(pairing().approve(code, { guest: false })).rejects.toMatchObject({ code: "not-found" });
  expect(pairing().pending()).toEqual([]);
  await say("ann");
  const second = codes()[1] ?? "";
  expect(second).not.toBe(code);
  const written = ` ${second.slice(0, 4).toLowerCase()}-${second.slice(4)} `;
  const approvals = await Promise.allSettled([pairing().approve(written, { guest: true }), pairing().approve(second, { guest: true })]);
  expect(approvals.map(({ status }) => status)).toEqual(["fulfilled", "rejected"]);
  await expect(pairing().reject(second)).rejects.toMatchObject({ code: "not-found" });
});

test("a sender whose code waits is reminded of it every 15 minutes, and a rejected one is not", async () => {
  await say("ann", "canary");
  nowMs += 15 * 60_000 - 1;
  await say("ann", "canary");
  expect(texts()).toHaveLength(1);
  nowMs += 1;
  await say("ann", "canary");
  await say("ann", "canary");
  const [first, second, ...others] = texts();
  expect(others).toEqual([]);
  expect(second).toContain(`Your code is ${codes()[0] ?? ""}, valid for 45 more minutes.`);
  expect(second).not.toBe(first);
  expect(codes()[1]).toBe(codes()[0]);
  for (let minute = 1; minute < 45; minute += 1) {
    nowMs += 60_000;
    await say("ann", "canary");
  }
  expect(texts()).toHaveLength(4);
  expect(answered()).toBe(0);
  await pairing().reject(codes()[0] ?? "");
  await say("ann", "canary");
  expect(texts()).toHaveLength(4);
});

test("a flood of strangers gets three replies an hour on an account, and the others are counted", async () => {
  for (let stranger = 0; stranger < 60; stranger += 1) await say(`stranger-${stranger}`);
  expect(texts()).toHaveLength(3);
  expect(pairing().pending()).toHaveLength(3);
  expect((await running.gateway.status()).refused.messages).toBe(57);
  nowMs += HOUR_MS;
  for (let stranger = 0; stranger < 60; stranger += 1) await say(`stranger-${stranger}`);
  expect(texts()).toHaveLength(6);
});

test("neither bots, other events nor groups get a code, and a code in a message decides nothing", async () => {
  await say("bot", "hi", { sender: { id: "bot", isBot: true } });
  await say("ann", "", { event: { type: "joined" } });
  await say("", "nobody");
  const group = { channel: "test", accountId: "default", conversation: { kind: "group", id: "g" } };
  await say("ann", "hi", { origin: group, mentionsBot: true });
  expect(texts()).toEqual([]);
  await say("ann");
  await say("bob", `factotum pairing approve ${codes()[0] ?? ""}`);
  await say("ann", codes()[0]);
  await say("ann", `/approve ${codes()[0] ?? ""}`, { origin: group, mentionsBot: true });
  expect(answered()).toBe(0);
  expect(pairing().pending()).toHaveLength(2);
});

test.each(["Ann", "ann ", "аnn", "ann\u200b", "an", "annn"])("an approval of ann does not admit the look-alike %j", async (id) => {
  await say("ann");
  await pairing().approve(codes()[0] ?? "", { guest: true });
  await say(id);
  expect(answered()).toBe(0);
  await say("ann");
  expect(answered()).toBe(1);
});

test("an approval grants no group and no other policy", async () => {
  await say("ann");
  await pairing().approve(codes()[0] ?? "", { guest: true });
  const { config } = platform.account();
  const account = (policy: object): void =>
    running.gateway.engine.parts.channels.accountFor({ channel: "test", accountId: "default" }) === undefined
      ? undefined
      : void running.gateway.engine.parts.channels.apply([{ ...platform.account(), config: { ...config, ...policy } }]);
  for (const policy of [{ dmPolicy: "allowlist" }, { dmPolicy: "open" }, { dmPolicy: "disabled" }]) {
    account(policy);
    await say("ann");
  }
  account({ groups: { g: { requireMention: false, allowFrom: [] } } });
  await say("ann", "hi", { origin: { channel: "test", accountId: "default", conversation: { kind: "group", id: "g" } } });
  expect(answered()).toBe(0);
  await say("ann");
  expect(answered()).toBe(1);
});

test("a rejected sender gets no answer and no other code for an hour; a revoked one may ask again", async () => {
  await say("ann");
  await pairing().reject(codes()[0] ?? "");
  await say("ann");
  expect(texts()).toHaveLength(1);
  nowMs += HOUR_MS;
  await say("ann");
  await pairing().approve(codes()[1] ?? "", { guest: true });
  expect(await pairing().revoke({ channel: "test", accountId: "default", senderId: "ann" })).toBe(true);
  await say("ann");
  expect(answered()).toBe(0);
  expect(codes()).toHaveLength(3);
});

test("codes and approvals survive a restart", async () => {
  await say("ann");
  await say("bob");
  await pairing().approve(codes()[0] ?? "", { guest: true });
  await running.gateway.engine.idle();
  await running.stop();
  await start({ home: running.home });
  await say("ann");
  expect(answered()).toBe(1);
  await say("bob");
  expect(codes()).toHaveLength(2);
  await pairing().approve(codes()[1] ?? "", { guest: true });
  await say("bob");
  expect(answered()).toBe(2);
});

test("a message that waited for its code at a kill gets one code after the restart", async () => {
  await running[Symbol.asyncDispose]();
  const killed = withMethods(() => ({
    requestPairing: async () => {
      throw new StoreError("closed", "killed");
    },
  }));
  await start({ around: (store) => endsAsKilled(killed(store)) });
  const { home } = running;
  await say("ann");
  await running.stop();
  expect(codes()).toEqual([]);
  await start({ home });
  await running.gateway.engine.idle();
  expect(codes()).toHaveLength(1);
  await running.stop();
  await start({ home });
  await say("ann");
  expect(codes()).toHaveLength(1);
});

test("an account's approval and codes count for that account alone", async () => {
  await running[Symbol.asyncDispose]();
  const account = platform.account();
  const second = { ...account, accountId: "second", config: { ...account.config, accountId: "second" } };
  const other = new TestPlatform();
  await start({ accounts: [{ ...second, create: async (host) => other.account().create(host) }] });
  const sayToSecond = async (person: string): Promise<void> => {
    const origin = { channel: "test", accountId: "second", conversation: { kind: "direct" as const, id: `dm-${person}` } };
    await other.say(platform.message("hi", { origin, sender: { id: person, isBot: false } }));
    await running.gateway.engine.idle();
  };
  for (const person of ["ann", "bob", "cid", "dan"]) await say(person);
  expect(texts()).toHaveLength(3);
  await pairing().approve(codes()[0] ?? "", { guest: true });
  await sayToSecond("ann");
  expect(answered()).toBe(0);
  expect(other.sent).toHaveLength(1);
});

test("a request ends when the configuration admits its sender, on that account or as the owner", async () => {
  for (const person of ["ann", "bob", "cid"]) await say(person);
  const waiting = (): readonly string[] =>
    pairing()
      .pending()
      .map(({ senderId }) => senderId);
  expect(waiting()).toEqual(["ann", "bob", "cid"]);
  const { config } = platform.account();
  await running.gateway.engine.parts.channels.apply([{ ...platform.account(), config: { ...config, allowFrom: ["ann"] } }]);
  expect(waiting()).toEqual(["bob", "cid"]);
  owners.push("test:bob");
  const settings = running.gateway.engine.parts.running.config;
  await running.gateway.reload(running.settings({ ...settings, commands: { ...settings.commands, ownerAllowFrom: owners } }));
  expect(waiting()).not.toContain("bob");
  expect(waiting()).toContain("cid");
});
