import { messageId } from "@factotum/channel-contract";
import type { Conversation, MsgContext } from "@factotum/channel-contract";
import type { InputRecord } from "@factotum/store";
import { describe, expect, test } from "vitest";
import { withoutUndefined } from "@factotum/agent-contract";
import { admitMessage, needsMention } from "./admit-message.ts";
import type { AccessPolicy } from "./admit-message.ts";
import { displayId } from "./display-id.ts";
import { isListedOwner, withPresentOwner } from "./owner.ts";

const policy = (patch: Partial<AccessPolicy> = {}): AccessPolicy => ({
  dmPolicy: "pairing",
  allowFrom: [],
  groupPolicy: "allowlist",
  groups: {},
  ...patch,
});
const message = (conversation: Conversation, patch: Partial<MsgContext> = {}): MsgContext => ({
  origin: { channel: "test", accountId: "default", conversation },
  eventId: "e",
  messageId: messageId("m"),
  timestampMs: 0,
  event: { type: "message" },
  sender: { id: "U1", name: "owner", isBot: false },
  text: "hello",
  mentionsBot: false,
  attachments: [],
  ...patch,
});
const direct = message({ kind: "direct", id: "D" });
const group = (patch: Partial<MsgContext> = {}): MsgContext => message({ kind: "group", id: "G" }, patch);
const stranger = { owner: false };
const owner = { owner: true };

describe("admission in a direct conversation", () => {
  test.each([
    ["pairing", [], false],
    ["pairing", ["U1"], true],
    ["allowlist", ["U2"], false],
    ["allowlist", ["*"], false],
    ["allowlist", ["owner"], false],
    ["allowlist", ["u1"], false],
    ["allowlist", ["U1 "], false],
    ["open", [], false],
    ["open", ["U2"], false],
    ["open", ["U1"], true],
    ["open", ["*"], true],
    ["disabled", ["U1", "*"], false],
  ] as const)("under %s with %j a stranger is admitted: %s", (dmPolicy, allowFrom, admitted) => {
    expect(admitMessage(direct, policy({ dmPolicy, allowFrom }), stranger).type === "admit").toBe(admitted);
  });

  test("the owner need not be in allowFrom, but a disabled account is closed to everyone", () => {
    for (const dmPolicy of ["pairing", "allowlist", "open"] as const)
      expect(admitMessage(direct, policy({ dmPolicy }), owner).type).toBe("admit");
    expect(admitMessage(direct, policy({ dmPolicy: "disabled" }), owner).type).toBe("ignore");
  });

  test("pairing offers no code to a sender whose id others can take; a list admits them", () => {
    const unverified = message({ kind: "direct", id: "D" }, { sender: { id: "U1", isBot: false, isUnverified: true } });
    expect(admitMessage(unverified, policy(), stranger)).toMatchObject({ type: "ignore", missing: "sender" });
    expect(admitMessage(unverified, policy({ allowFrom: ["U1"] }), stranger).type).toBe("admit");
    const verified = message({ kind: "direct", id: "D" }, { sender: { id: "U1", isBot: false, isUnverified: false } });
    expect(admitMessage(verified, policy(), stranger).type).toBe("pair");
  });

  test("pairing admits a paired sender and offers a code to others who write; no other policy does either", () => {
    const paired = { ...stranger, paired: true };
    expect(admitMessage(direct, policy(), paired).type).toBe("admit");
    expect(admitMessage(direct, policy(), stranger).type).toBe("pair");
    for (const dmPolicy of ["allowlist", "open", "disabled"] as const) {
      expect(admitMessage(direct, policy({ dmPolicy }), paired).type).toBe("ignore");
      expect(admitMessage(direct, policy({ dmPolicy }), stranger).type).toBe("ignore");
    }
    expect(admitMessage(group({ mentionsBot: true }), policy(), paired).type).toBe("ignore");
    const reaction = { ...direct, event: { type: "reaction", emoji: "x", targetId: messageId("m"), removed: false } } as const;
    expect(admitMessage(reaction, policy(), stranger).type).toBe("ignore");
    expect(admitMessage({ ...direct, sender: { id: "", isBot: false } }, policy(), stranger).type).toBe("ignore");
  });

  test("bots are ignored whoever they claim to be", () => {
    const bot = { ...direct, sender: { id: "U1", isBot: true } };
    expect(admitMessage(bot, policy({ allowFrom: ["U1"] }), owner).type).toBe("ignore");
    expect(isListedOwner(bot, ["test:U1"])).toBe(false);
  });
});

describe("admission of other bots under allowBots", () => {
  const bot = { ...direct, sender: { id: "U1", isBot: true } };

  test("a bot gives no command but a stop of its own direct conversation, by the platform's own means", () => {
    const bots = policy({ allowBots: true, allowFrom: ["U1"], groupPolicy: "open", groups: { "*": { requireMention: false } } });
    const admitted = (name: string, patch: Partial<MsgContext> = {}, mayBeText?: true): string =>
      admitMessage({ ...bot, command: { name, argumentsText: "", ...withoutUndefined({ mayBeText }) }, ...patch }, bots, stranger).type;
    expect(admitted("stop")).toBe("admit");
    expect(admitted("stop", {}, true)).toBe("ignore");
    expect(admitted("new")).toBe("ignore");
    expect(admitted("stop", { origin: group().origin })).toBe("ignore");
  });

  test("a bot in the owner list is admitted by allowFrom alone", () => {
    for (const dmPolicy of ["pairing", "allowlist", "open"] as const) {
      const bots = policy({ dmPolicy, allowBots: true });
      expect(admitMessage(bot, bots, owner).type).toBe("ignore");
      expect(admitMessage(bot, { ...bots, allowFrom: ["U1"] }, owner).type).toBe("admit");
    }
    const groupBot = group({ sender: { id: "U1", isBot: true } });
    const narrowed = policy({ allowBots: true, groups: { G: { requireMention: false, allowFrom: [] } } });
    expect(admitMessage(groupBot, narrowed, owner).type).toBe("ignore");
  });

  test("a paired bot is ignored, and a bot is offered no code", () => {
    const bots = policy({ allowBots: true });
    expect(admitMessage(bot, bots, { ...stranger, paired: true }).type).toBe("ignore");
    // It is listed among those who were refused, with the command that admits it.
    expect(admitMessage(bot, bots, stranger)).toMatchObject({ type: "ignore", missing: "sender" });
  });
});

describe("admission in a group", () => {
  const listed = { G: { requireMention: true } };

  test("no list admits no one, not even the owner", () => {
    expect(admitMessage(group({ mentionsBot: true }), policy(), owner).type).toBe("ignore");
    expect(admitMessage(group({ mentionsBot: true }), policy({ groupPolicy: "disabled", groups: listed }), owner).type).toBe("ignore");
  });

  test("a direct allowlist grants no group", () => {
    expect(admitMessage(group({ mentionsBot: true }), policy({ allowFrom: ["U1"] }), stranger).type).toBe("ignore");
  });

  test("a listed group needs a mention: native, by pattern, or as a reply to the assistant", () => {
    const inGroup = policy({ groups: listed });
    expect(admitMessage(group(), inGroup, stranger).type).toBe("overheard");
    expect(admitMessage(group({ mentionsBot: true }), inGroup, stranger).type).toBe("admit");
    expect(
      admitMessage(group({ text: "hey facto" }), inGroup, { owner: false, matchMention: (text: string) => text.includes("facto") }).type,
    ).toBe("admit");
    expect(admitMessage(group({ replyTo: { body: "x", isQuote: false, sender: { isSelf: true } } }), inGroup, stranger).type).toBe("admit");
    expect(admitMessage(group(), policy({ groups: { G: { requireMention: false } } }), stranger).type).toBe("admit");
  });

  test("a command addresses the assistant; a quote of another person, or a text that fits no pattern, does not", () => {
    const inGroup = policy({ groups: listed });
    expect(admitMessage(group({ command: { name: "status", argumentsText: "" } }), inGroup, stranger).type).toBe("admit");
    for (const sender of [{ id: "U2", isSelf: false }, { id: "U2" }, undefined]) {
      const replyTo = { body: "x", isQuote: false, ...withoutUndefined({ sender }) };
      expect(admitMessage(group({ replyTo }), inGroup, stranger).type).toBe("overheard");
    }
    const matchMention = (text: string): boolean => text === "hey bot";
    expect(admitMessage(group({ text: "hey you" }), inGroup, { owner: false, matchMention }).type).toBe("overheard");
    expect(admitMessage(group({ text: "hey bot" }), inGroup, { owner: false, matchMention }).type).toBe("admit");
  });

  test("the group's own setting overrides the configuration, in both directions", () => {
    const always = policy({ groups: { G: { requireMention: false } } });
    expect(admitMessage(group(), policy({ groups: listed }), { ...stranger, activation: "always" }).type).toBe("admit");
    expect(admitMessage(group(), always, { ...stranger, activation: "mention" }).type).toBe("overheard");
    expect(needsMention([group().origin.conversation.id], always, undefined)).toBe(false);
    expect(needsMention([group().origin.conversation.id], policy(), undefined)).toBe(true);
  });

  test("an open policy admits groups without an entry, on a mention", () => {
    const open = policy({ groupPolicy: "open" });
    expect(admitMessage(group({ mentionsBot: true }), open, stranger).type).toBe("admit");
    expect(admitMessage(group(), open, stranger).type).toBe("overheard");
  });

  test("a group's own allowFrom narrows, and an empty one admits only the owner", () => {
    const narrowed = (allowFrom: readonly string[]): AccessPolicy => policy({ groups: { G: { requireMention: false, allowFrom } } });
    expect(admitMessage(group(), narrowed(["U2"]), stranger).type).toBe("ignore");
    expect(admitMessage(group(), narrowed([]), stranger).type).toBe("ignore");
    expect(admitMessage(group(), narrowed([]), owner).type).toBe("admit");
    expect(admitMessage(group(), narrowed(["U1"]), stranger).type).toBe("admit");
  });

  test("a thread inherits from its parent, and * matches the rest", () => {
    const thread = message({ kind: "channel", id: "T", parentId: "P" }, { mentionsBot: true });
    expect(admitMessage(thread, policy({ groups: { P: { requireMention: true } } }), stranger).type).toBe("admit");
    const own = { P: { requireMention: true, allowFrom: [] }, T: { requireMention: true }, "*": { requireMention: true, allowFrom: [] } };
    expect(admitMessage(thread, policy({ groups: own }), stranger).type).toBe("admit");
    const parents = { P: { requireMention: true }, "*": { requireMention: true, allowFrom: [] } };
    expect(admitMessage(thread, policy({ groups: parents }), stranger).type).toBe("admit");
    expect(admitMessage(group({ mentionsBot: true }), policy({ groups: parents }), stranger).type).toBe("ignore");
    expect(admitMessage(group({ mentionsBot: true }), policy({ groups: { "*": { requireMention: true } } }), stranger).type).toBe("admit");
  });
});

describe("the owner list", () => {
  test.each([
    ["test:U1", true],
    ["test:u1", false],
    ["test:U1 ", false],
    ["other:U1", false],
    ["U1", false],
    ["test:", false],
    ["test:U11", false],
    ["test:owner", false],
  ])("%j names the sender: %s", (entry, listed) => {
    expect(isListedOwner(direct, [entry])).toBe(listed);
  });

  const input = (admission: InputRecord["admission"]): InputRecord => ({
    id: "i1",
    message: direct,
    admission,
    receivedAtMs: 0,
    state: { type: "waiting" },
  });

  test("an input whose sender is no longer listed loses the owner's authority, and nothing else", () => {
    const committed = input({ owner: true, kind: "user", ownTurn: true });
    expect(withPresentOwner(committed, ["test:U1"])).toBe(committed);
    expect(withPresentOwner(committed, ["test:U2"])).toEqual({ ...committed, admission: { ...committed.admission, owner: false } });
  });

  test("an input of the gateway's own clients keeps its authority, and a guest's never becomes the owner's", () => {
    const own = input({ owner: true, kind: "user", sessionKey: "agent:main:page" });
    expect(withPresentOwner(own, [])).toBe(own);
    const guest = input({ owner: false, kind: "user" });
    expect(withPresentOwner(guest, ["test:U1"])).toBe(guest);
  });
});

test("a sender is shown as 12 hex digits, which depend on the secret", () => {
  const shown = [undefined, "s1", "s2"].map((secret) => displayId("test:U1", secret));
  for (const id of shown) expect(id).toMatch(/^[0-9a-f]{12}$/);
  expect(new Set(shown).size).toBe(3);
  expect(displayId("test:U1", "s1")).toBe(shown[1]);
  expect(displayId("test:U2", "s1")).not.toBe(shown[1]);
});
