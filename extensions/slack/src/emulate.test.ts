import { CONFORMANCE_REQUIREMENTS, proveRequirement, TestHost } from "@factotum/channel-conformance";
import type { ConformanceOptions } from "@factotum/channel-conformance";
import { messageId } from "@factotum/channel-contract";
import type { Channel, ChannelHost, Conversation, Outbound } from "@factotum/channel-contract";
import { describe, expect, test } from "vitest";
import { EmulatePlatform } from "../test/emulate-platform.ts";
import { createSlackChannel } from "./index.ts";

/** The cases that the emulator cannot run, each with the reason. */
const EXCLUDED: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    ["edit", "delete", "reaction", "reaction-taken-back", "press", "joined", "left", "bot-joined"].map((what) => [
      `event:${what}`,
      "it passes no events to a program",
    ]),
  ),
  ...Object.fromEntries(
    ["rate-limited", "server-error", "forbidden", "after-failure", "aborted-on-the-wire"].map((what) => [
      `outbound:${what}`,
      "it cannot fail or wait on request",
    ]),
  ),
  "reconcile:shown": "it cannot fail on request",
  "reconcile:late": "it cannot fail on request",
  "history:before": "the thread of the suite is there from the start",
  "act:read": "the thread of the suite is there from the start",
  "act:emoji-list": "it has no emoji.list",
  "audience:only-for": "it keeps no ephemeral messages",
  "audience:card-only-for": "it keeps no ephemeral messages",
  "context:refused": "it takes no scope back",
  "probe:missing-permission": "it neither lists scopes nor takes one back",
  "stream:grows": "it has no chat.startStream",
  "lifecycle:stop-waits": "it cannot wait on request",
  "lifecycle:stop-gives-up": "it cannot wait on request",
  "log:no-secrets": "it cannot fail on request",
};

const OPTIONS: ConformanceOptions<EmulatePlatform> = {
  channel: "slack",
  platform: async () => EmulatePlatform.start(),
  create: ({ platform, host }) => createChannel(platform, host),
};

function createChannel({ app, baseUrl }: EmulatePlatform, host: ChannelHost): Channel {
  return createSlackChannel({ botToken: app.botToken, baseUrl, transport: { type: "http", signingSecret: app.signingSecret } }, host);
}

describe("an emulator that others wrote", () => {
  const cases = CONFORMANCE_REQUIREMENTS.filter(({ id }) => !(id in EXCLUDED));

  let ran = 0;

  test.for(cases)("$id: $behaviour", { timeout: 60_000 }, async ({ id }, { skip }) => {
    const outcome = await proveRequirement(id, OPTIONS as unknown as ConformanceOptions, { timeoutMs: 30_000 });
    if (outcome.type === "failed") throw outcome.error;
    if (outcome.type === "not-needed") skip(`not provided: ${outcome.missing.join(", ")}`);
    ran += 1;
  });

  test("ran two thirds of the cases or more, and excludes none that does not exist", () => {
    const ids = CONFORMANCE_REQUIREMENTS.map(({ id }) => id);
    expect(Object.keys(EXCLUDED).filter((id) => !ids.includes(id))).toEqual([]);
    expect(ran).toBeGreaterThanOrEqual(Object.keys(EXCLUDED).length * 2);
  });
});

describe("on the emulator", () => {
  const { signal } = new AbortController();

  test("files, history, pins, the directory, and sends that are looked for work", async () => {
    await using platform = await EmulatePlatform.start();
    const host = new TestHost();
    const channel = createChannel(platform, host);
    const conversation: Conversation = platform.target("group");
    const target = { channel: "slack", accountId: host.accountId, conversation };
    const send = async (outbound: Outbound, idempotencyKey: string): Promise<string> => {
      const receipt = await channel.send(target, outbound, { signal, idempotencyKey });
      if (receipt.type !== "accepted") throw new Error(JSON.stringify(receipt));
      return receipt.messageIds[0] ?? "";
    };
    const text: Outbound = { type: "text", text: "**Hello**" };
    const ts = await send(text, "k1");
    expect(await channel.reconcile?.(target, text, { signal, idempotencyKey: "k1", sentAtMs: Date.now() })).toEqual({
      type: "shown",
      messageIds: [ts],
    });
    expect(await channel.reconcile?.(target, text, { signal, idempotencyKey: "k2", sentAtMs: Date.now() })).toEqual({ type: "not-shown" });
    expect(await channel.history?.(target, { signal, limit: 5 })).toMatchObject([{ body: "Root" }, { body: "**Hello**" }]);

    await channel.act({ name: "pin", target, parameters: { messageId: ts } }, { signal });
    expect((await channel.act({ name: "pins-list", target, parameters: {} }, { signal })).value).toMatchObject({
      messages: [{ messageId: ts }],
    });

    const bytes = Buffer.from("quarter,sales\n");
    await send({ type: "media", media: { kind: "file", mimeType: "text/csv", fileName: "a.csv", bytes } }, "k3");
    const { files } = (await platform.call("files.list", {})) as unknown as { files: readonly { id: string }[] };
    const ref = JSON.stringify({ file: files[0]?.id });
    expect(Buffer.from((await channel.fetchAttachment({ kind: "file", ref }, { signal, maxBytes: 100 })).bytes)).toEqual(bytes);

    expect(await channel.directory?.("alice", { signal, limit: 5 })).toMatchObject([{ type: "person", name: "Alice" }]);
    expect((await channel.resolveTarget("#general", { signal }))?.conversation).toEqual({ kind: "channel", id: "C000000001" });
    expect(
      await channel.send(target, { type: "edit", targetId: messageId("1.000001"), text: "x" }, { signal, idempotencyKey: "k4" }),
    ).toMatchObject({
      code: "not-found",
    });
    await channel.stop({ signal });
  });
});
