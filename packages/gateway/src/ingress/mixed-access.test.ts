import type { AccountConfig } from "@factotum/config";
import type { InputState } from "@factotum/store";
import { startAnthropicServer, textReply } from "@factotum/testing-providers";
import { expect, test } from "vitest";
import { realClock, startTestGateway, TestPlatform, withModel } from "../../test/gateway-harness.ts";
import type { ChannelAccount } from "../channels/channel-account.ts";

const ACCOUNTS = ["default", "second"] as const;
type AccountId = (typeof ACCOUNTS)[number];
type DmPolicy = AccountConfig["dmPolicy"];
type GroupPolicy = AccountConfig["groupPolicy"];

/** `owner-1` is the owner, `ann` is in the allow lists, the bot is never admitted. */
const SENDERS = ["owner-1", "ann", "bob", "cid", "dan", "eve", "fay", "gus", "hal", "bot"] as const;
const PLACES = ["dm", "dm", "dm", "dm", "mention-group", "open-group", "unlisted-group"] as const;
const GROUPS = { "mention-group": { requireMention: true }, "open-group": { requireMention: false, allowFrom: ["ann"] } };
const HOUR_MS = 3_600_000;

type Outcome = "admitted" | "held" | "refused" | "paired" | "duplicate" | "reminded";

interface Said {
  readonly accountId: AccountId;
  readonly sender: (typeof SENDERS)[number];
  readonly place: (typeof PLACES)[number];
  readonly mentions: boolean;
  readonly eventId: string;
}

/** What one account's policy and pairings mean, written down once more in the simplest way. */
class ModelAccount {
  dmPolicy: DmPolicy = "pairing";
  groupPolicy: GroupPolicy = "allowlist";
  readonly approved = new Set<string>();
  /** Senders with a code or a rejection, until it expires. */
  readonly asked = new Map<string, { readonly expiresAtMs: number; isPending: boolean; toldAtMs: number }>();
  readonly seen = new Set<string>();

  decide({ sender, place, mentions, eventId }: Said, nowMs: number): Outcome {
    if (this.seen.has(eventId)) return "duplicate";
    this.seen.add(eventId);
    if (sender === "bot") return "refused";
    return place === "dm" ? this.#direct(sender, nowMs) : this.#group(sender, place, mentions);
  }

  pending(nowMs: number): string[] {
    return [...this.asked].filter(([, { isPending, expiresAtMs }]) => isPending && expiresAtMs > nowMs).map(([sender]) => sender);
  }

  #direct(sender: string, nowMs: number): Outcome {
    if (this.dmPolicy === "disabled") return "refused";
    if (sender === "owner-1" || sender === "ann") return "admitted";
    if (this.dmPolicy !== "pairing") return "refused";
    if (this.approved.has(sender)) return "admitted";
    const before = this.asked.get(sender);
    if (before?.isPending === true && before.expiresAtMs > nowMs && nowMs - before.toldAtMs >= HOUR_MS / 4) {
      before.toldAtMs = nowMs;
      return "reminded";
    }
    if ((before !== undefined && before.expiresAtMs > nowMs) || this.pending(nowMs).length >= 3) return "refused";
    this.asked.delete(sender);
    this.asked.set(sender, { expiresAtMs: nowMs + HOUR_MS, isPending: true, toldAtMs: nowMs });
    return "paired";
  }

  #group(sender: string, place: Exclude<Said["place"], "dm">, mentions: boolean): Outcome {
    if (this.groupPolicy === "disabled") return "refused";
    if (place === "open-group") return sender === "owner-1" || sender === "ann" ? "admitted" : "refused";
    if (place === "unlisted-group" && this.groupPolicy !== "open") return "refused";
    return mentions ? "admitted" : "held";
  }
}

/** A small generator of numbers in [0, 1), so that a failing seed can be repeated. */
function createDice(seed: number): <Item>(items: readonly Item[]) => Item {
  let state = seed;
  return (items) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    const item = items[Math.floor((state / 2 ** 32) * items.length)];
    if (item === undefined) throw new Error("nothing to choose from");
    return item;
  };
}

function outcomeOf(state: InputState | undefined): Outcome {
  if (state?.type === "answered") return "admitted";
  if (state?.type !== "ignored") throw new Error(`an input ended as ${state?.type ?? "nothing"}`);
  if (state.reason === "not addressed to the assistant") return "held";
  if (state.reason === "the sender was reminded of the pairing code") return "reminded";
  return state.reason === "the sender got a pairing code" ? "paired" : "refused";
}

test.each([1, 20, 300])("200 random events of two accounts end as a model says, seed %i", { timeout: 120_000 }, async (seed) => {
  const roll = createDice(seed);
  await using server = await startAnthropicServer();
  server.respond(() => textReply("Well."));
  let nowMs = Date.now();
  const platforms = { default: new TestPlatform(), second: new TestPlatform() };
  const models = { default: new ModelAccount(), second: new ModelAccount() };
  const present = new Set<AccountId>(ACCOUNTS);
  const accountOf = (accountId: AccountId): ChannelAccount => {
    const { dmPolicy, groupPolicy } = models[accountId];
    const allowFrom = ["ann", ...(dmPolicy === "open" ? [] : ["bot"])];
    const account = platforms[accountId].account({ dmPolicy, groupPolicy, allowFrom, groups: GROUPS });
    return { ...account, accountId, config: { ...account.config, accountId } };
  };
  await using running = await startTestGateway({
    accounts: ACCOUNTS.map(accountOf),
    patch: withModel(server.baseUrl),
    clock: { ...realClock, now: () => nowMs },
  });
  const { engine } = running.gateway;
  const { pairing } = engine;
  const apply = async (): Promise<void> => engine.parts.channels.apply([...present].map(accountOf));
  const history: Said[] = [];

  const deliver = async (said: Said): Promise<void> => {
    const { accountId, sender, place, mentions, eventId } = said;
    const platform = platforms[accountId];
    const id = place === "dm" ? `dm-${sender}` : place;
    const before = { sent: ACCOUNTS.map((one) => platforms[one].sent.length), newest: (await running.store.listRecentInputs(1))[0]?.id };
    const expected = models[accountId].decide(said, nowMs);
    await platform.say(
      platform.message(`hello ${eventId}`, {
        origin: { channel: "test", accountId, conversation: { kind: place === "dm" ? "direct" : "group", id } },
        eventId,
        // Late and out of order, as after a disconnect.
        timestampMs: nowMs - roll([0, 1000, 60_000]),
        sender: { id: sender, isBot: sender === "bot" },
        mentionsBot: mentions,
      }),
    );
    await engine.idle();
    // Behind the end of an ignored input, which nothing waits for.
    await running.store.probe();
    const [newest] = await running.store.listRecentInputs(1);
    expect(newest?.id === before.newest ? "duplicate" : outcomeOf(newest?.state), JSON.stringify(said)).toBe(expected);
    const sent = ACCOUNTS.map((one, index) => platforms[one].sent.slice(before.sent[index]));
    const answers = ["admitted", "paired", "reminded"].includes(expected) ? 1 : 0;
    expect(sent.map((each) => each.length)).toEqual(ACCOUNTS.map((one) => (one === accountId ? answers : 0)));
    for (const { target } of sent.flat()) expect(target).toMatchObject({ accountId, conversation: { id } });
    history.push(said);
  };

  const decideOne = async (accountId: AccountId, how: "approve" | "reject"): Promise<void> => {
    const model = models[accountId];
    const found = pairing.pending().filter((one) => one.accountId === accountId);
    expect(found.map(({ senderId }) => senderId)).toEqual(model.pending(nowMs));
    const [first] = found;
    if (first === undefined) return;
    const entry = model.asked.get(first.senderId);
    if (entry !== undefined) entry.isPending = false;
    if (how === "reject") await pairing.reject(first.code);
    else {
      await pairing.approve(first.code, { guest: false });
      model.approved.add(first.senderId);
    }
    await engine.idle();
  };

  const steps = {
    say: async (accountId: AccountId) =>
      deliver({ accountId, sender: roll(SENDERS), place: roll(PLACES), mentions: roll([true, false]), eventId: `e${history.length}` }),
    redeliver: async (accountId: AccountId) => {
      const earlier = history.filter((said) => said.accountId === accountId);
      if (earlier.length > 0) await deliver(roll(earlier));
    },
    approve: async (accountId: AccountId) => decideOne(accountId, "approve"),
    reject: async (accountId: AccountId) => decideOne(accountId, "reject"),
    revoke: async (accountId: AccountId) => {
      const senderId = roll(SENDERS);
      const model = models[accountId];
      const wasApproved = model.approved.delete(senderId);
      expect(await pairing.revoke({ channel: "test", accountId, senderId })).toBe(wasApproved);
      if (wasApproved) model.asked.delete(senderId);
    },
    policy: async (accountId: AccountId) => {
      models[accountId].dmPolicy = roll(["pairing", "pairing", "pairing", "pairing", "allowlist", "open", "disabled"] as const);
      models[accountId].groupPolicy = roll(["allowlist", "open", "disabled"] as const);
      await apply();
    },
    wait: async () => void (nowMs += roll([60_000, 60_000, 60_000, HOUR_MS / 2, HOUR_MS])),
  };
  const kinds = ["say", "say", "say", "say", "say", "say", "redeliver", "approve", "reject", "revoke", "policy", "wait"] as const;
  for (let event = 0; event < 200; event += 1) {
    const accountId = roll(ACCOUNTS);
    if (roll([...Array.from({ length: 24 }, () => false), true])) {
      // Removed and added again: policies and approvals stay.
      present.delete(accountId);
      await apply();
      present.add(accountId);
      await apply();
    }
    await steps[roll(kinds)](accountId);
  }
  expect(history.length).toBeGreaterThan(80);
});
