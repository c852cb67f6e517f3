import { createKeyedQueue } from "@factotum/channel-kit";
import { plural, withoutUndefined } from "@factotum/agent-contract";
import type { Clock, Logger, Random } from "@factotum/agent-contract";
import { StoreError } from "@factotum/store";
import type { InboxStore, InputRecord, PairingRecord, PairingRequest, PairingSender, PairingStore, SessionStore } from "@factotum/store";
import { isListedOwner } from "../access/owner.ts";
import type { PairedSenders } from "../access/paired-senders.ts";
import type { RunningConfig } from "../agents/running-config.ts";
import type { ChannelRegistry } from "../channels/channel-registry.ts";
import type { InputPolicy } from "../conversation/input-policy.ts";
import type { Dispatcher } from "../delivery/dispatcher.ts";
import { isSuppressed } from "../delivery/is-suppressed.ts";
import { planChatMessage } from "../delivery/plan-message.ts";
import type { PlannedMessage } from "../delivery/plan-message.ts";
import { createShortCode, parseShortCode } from "../kernel/short-code.ts";
import { RpcError } from "../kernel/rpc-error.ts";
import { reportRefusal } from "../observe/refused-senders.ts";
import type { RefusedSenders } from "../observe/refused-senders.ts";
import type { InputWatchers } from "../queue/run-report.ts";
import { personId } from "../kernel/person-id.ts";

/** 40 bits: nobody guesses one. */
const CODE_LENGTH = 8;
/** How long a code is valid. */
const VALID_MS = 3_600_000;
/** How long a code is not repeated to its sender: three times at most while it is valid. */
const REPEAT_AFTER_MS = 900_000;
/** Pending requests of an account; strangers beyond these get no reply. */
const MAX_PENDING = 3;
/** Maximum characters of a stored name; it is only shown. */
const MAX_NAME_CHARS = 100;
/** Two equal codes among the pending ones are as good as impossible. */
const MAX_CODES = 3;

/** Writes the first paired sender into the owner list. */
export interface OwnerControl {
  /**
   * Puts an id of `personId` into an empty `commands.ownerAllowFrom` of the file, and applies it. `isOwner` is false if the file names an owner by now; `refused` says
   * why nothing was changed.
   */
  addFirstOwner(
    entry: string,
  ): Promise<{ readonly type: "done"; readonly isOwner: boolean } | { readonly type: "refused"; readonly message: string }>;
}

/** Dependencies of the pairing service. */
export interface PairingServiceOptions {
  readonly store: PairingStore & SessionStore & Pick<InboxStore, "settleInputs">;
  readonly running: RunningConfig;
  readonly channels: ChannelRegistry;
  readonly policy: InputPolicy;
  readonly dispatcher: Dispatcher;
  readonly paired: PairedSenders;
  readonly refused: RefusedSenders;
  readonly watchers: InputWatchers;
  readonly owners: OwnerControl;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

/** An approved sender, and whether the approval made them the owner. */
export interface ApprovedPairing {
  readonly pairing: PairingRecord;
  readonly owner: boolean;
}

/**
 * Admits unknown senders by a code: the sender gets it in a reply, and the owner approves it. A message that causes a code, or a reminder of it, is never processed. Approvals
 * concern direct messages of one account alone.
 */
export class PairingService {
  readonly #options: PairingServiceOptions;
  readonly #decisions = createKeyedQueue();
  /** Pending requests by code, as the store has them; some may have expired since the last request or listing. */
  readonly #pending = new Map<string, PairingRecord>();
  /** When a code was repeated to its sender, by code. */
  readonly #repeatedAtMs = new Map<string, number>();

  constructor(options: PairingServiceOptions) {
    this.#options = options;
  }

  /** Loads what earlier processes have stored. */
  async recall(): Promise<void> {
    const { store, paired, clock } = this.#options;
    const now = { nowMs: clock.now() };
    for (const sender of await store.listPairings("approved", now)) paired.add(sender);
    for (const pairing of await store.listPairings("pending", now)) this.#pending.set(pairing.code, pairing);
  }

  /** Requests that wait for a decision, oldest first; without those whose sender the configuration has admitted meanwhile. */
  pending(): readonly PairingRecord[] {
    this.#dropExpired();
    return [...this.#pending.values()].filter((pairing) => !this.isOwner(pairing) && !this.#isListed(pairing));
  }

  async approved(): Promise<readonly PairingRecord[]> {
    return this.#options.store.listPairings("approved", { nowMs: this.#options.clock.now() });
  }

  /** True if the owner list names the sender now. */
  isOwner({ origin, senderId }: PairingRecord): boolean {
    return isListedOwner({ origin, sender: { id: senderId, isBot: false } }, this.#options.running.config.commands.ownerAllowFrom);
  }

  /**
   * Handles a message of an unknown sender: replies with a code. A sender who has one is reminded of it from time to time; one who was rejected, or whose account
   * has too many requests, gets no reply.
   */
  async request(sessionKey: string, input: InputRecord): Promise<void> {
    const { logger, watchers } = this.#options;
    const waiting = this.#codeToRepeat(input);
    if (waiting !== undefined) return this.#repeat(sessionKey, input, waiting);
    const asked = await this.#store(sessionKey, input);
    watchers.settled([input.id], "the sender is not admitted");
    if (asked.type !== "created") {
      if (asked.type !== "admitted") reportRefusal(input, { missing: "sender", reason: REFUSALS[asked.type] }, this.#options);
      return;
    }
    const { pairing, outbox } = asked;
    // The store admits a few codes per account and hour, so this bounds the map.
    this.#dropExpired();
    this.#pending.set(pairing.code, pairing);
    this.#options.dispatcher.dispatch(outbox);
    const { channel, accountId, senderId } = pairing;
    logger.info("Somebody asks to be admitted: factotum pairing list", { channel, accountId, sender: senderId });
  }

  /** Admits the sender with this code and notifies them. The first sender ever becomes the owner if there is no owner, unless `guest` is set. */
  async approve(written: string, { guest }: { readonly guest: boolean }): Promise<ApprovedPairing> {
    return this.#decisions.run("decisions", async () => {
      const { store, paired, dispatcher, clock, logger } = this.#options;
      const code = parseShortCode(written);
      const found = await store.findPairing(code, { nowMs: clock.now() });
      if (found === undefined) throw unknownCode();
      const { channel, accountId, senderId, origin } = found;
      // Before the approval: after a crash in between the code is still valid.
      const owner = !guest && (await this.#makeOwner(personId(origin, senderId)));
      const reply = await this.#planWelcome(found, owner);
      // A code that expires meanwhile counts: the owner's list may name its sender already.
      const { pairing, outbox } = await store.approvePairing(code, { nowMs: Math.min(clock.now(), found.expiresAtMs - 1), reply });
      paired.add(pairing);
      this.#pending.delete(code);
      dispatcher.dispatch(outbox);
      logger.info("A sender was admitted by pairing", { channel, accountId, sender: senderId, owner });
      return { pairing, owner };
    });
  }

  /** Ends the request with this code. The sender is not notified. */
  async reject(written: string): Promise<PairingRecord> {
    return this.#decisions.run("decisions", async () => {
      const code = parseShortCode(written);
      try {
        const pairing = await this.#options.store.rejectPairing(code, { nowMs: this.#options.clock.now() });
        this.#pending.delete(code);
        return pairing;
      } catch (error) {
        if (StoreError.isInstance(error) && error.code === "not-found") throw unknownCode();
        throw error;
      }
    });
  }

  /** Withdraws an approval at once, for waiting messages too; false if there is none. */
  async revoke({ channel, accountId, senderId }: PairingSender): Promise<boolean> {
    const sender = { channel, accountId, senderId };
    return this.#decisions.run("decisions", async () => {
      const { store, paired, logger } = this.#options;
      const revoked = await store.revokePairing(sender);
      paired.delete(sender);
      if (revoked) logger.info("An admission by pairing was revoked", { channel, accountId, sender: senderId });
      return revoked;
    });
  }

  /** Withdraws every approval and every code of an account; resolves with how many there were. */
  async forgetAccount({ channel, accountId }: Pick<PairingSender, "channel" | "accountId">): Promise<number> {
    const isOfAccount = (one: Pick<PairingSender, "channel" | "accountId">): boolean =>
      one.channel === channel && one.accountId === accountId;
    const [people, codes] = [(await this.approved()).filter(isOfAccount), this.pending().filter(isOfAccount)];
    for (const person of people) await this.revoke(person);
    for (const { code } of codes) await this.reject(code);
    return people.length + codes.length;
  }

  #isListed({ origin, senderId }: PairingRecord): boolean {
    return this.#options.channels.accountFor(origin)?.allowFrom.includes(senderId) === true;
  }

  #dropExpired(): void {
    const nowMs = this.#options.clock.now();
    for (const { code, expiresAtMs } of this.#pending.values()) if (expiresAtMs <= nowMs) this.#pending.delete(code);
    for (const code of this.#repeatedAtMs.keys()) if (!this.#pending.has(code)) this.#repeatedAtMs.delete(code);
  }

  /** The pending request of the sender, if its code was last sent long enough ago. */
  #codeToRepeat({ message: { origin, sender } }: InputRecord): PairingRecord | undefined {
    const { channel, accountId } = origin;
    const pairing = this.pending().find((one) => one.channel === channel && one.accountId === accountId && one.senderId === sender.id);
    if (pairing === undefined) return undefined;
    const sentAtMs = this.#repeatedAtMs.get(pairing.code) ?? pairing.requestedAtMs;
    return this.#options.clock.now() - sentAtMs >= REPEAT_AFTER_MS ? pairing : undefined;
  }

  async #repeat(sessionKey: string, input: InputRecord, { code, expiresAtMs }: PairingRecord): Promise<void> {
    const { store, running, clock, dispatcher, watchers } = this.#options;
    const nowMs = clock.now();
    // Before the commit: another message of the sender may come meanwhile.
    this.#repeatedAtMs.set(code, nowMs);
    const { origin, messageId } = input.message;
    const suppressed = await isSuppressed({ sessionKey, origin }, { store, running });
    const text = reminderText(code, Math.ceil((expiresAtMs - nowMs) / 60_000));
    const reply = this.#plan({ sessionKey, target: origin, text, identity: ["pairing", input.id], nowMs, suppressed, replyTo: messageId });
    const reason = "the sender was reminded of the pairing code";
    const { outbox } = await store.settleInputs([input.id], { type: "ignored", reason }, { outbox: reply });
    watchers.settled([input.id], "the sender is not admitted");
    dispatcher.dispatch(outbox);
  }

  async #store(sessionKey: string, input: InputRecord): Promise<PairingRequest> {
    const { store, random, clock, running } = this.#options;
    const { origin, sender, messageId } = input.message;
    const suppressed = await isSuppressed({ sessionKey, origin }, { store, running });
    for (let attempt = 1; ; attempt += 1) {
      const nowMs = clock.now();
      const code = createShortCode(random, CODE_LENGTH);
      const { channel, accountId } = origin;
      const senderName = sender.name?.slice(0, MAX_NAME_CHARS);
      try {
        return await store.requestPairing(
          { channel, accountId, senderId: sender.id, origin, code, expiresAtMs: nowMs + VALID_MS, ...withoutUndefined({ senderName }) },
          {
            inputId: input.id,
            nowMs,
            maxPending: MAX_PENDING,
            reply: this.#plan({
              sessionKey,
              target: origin,
              text: requestText(code),
              identity: ["pairing", input.id],
              nowMs,
              suppressed,
              replyTo: messageId,
            }),
          },
        );
      } catch (error) {
        if (attempt === MAX_CODES || !StoreError.isInstance(error) || error.code !== "conflict") throw error;
      }
    }
  }

  async #makeOwner(entry: string): Promise<boolean> {
    const { store, running, owners } = this.#options;
    if (running.config.commands.ownerAllowFrom.length > 0 || (await store.hasEverPaired())) return false;
    const outcome = await owners.addFirstOwner(entry);
    if (outcome.type === "done") return outcome.isOwner;
    throw new RpcError("conflict", `Nothing was approved, because the owner could not be stored. ${outcome.message}`);
  }

  async #planWelcome(
    { origin, senderId, channel, accountId, requestedAtMs }: PairingRecord,
    owner: boolean,
  ): Promise<ReturnType<typeof planChatMessage>> {
    const { store, running, policy, clock } = this.#options;
    const { sessionKey } = policy.routeOfSender(origin, senderId);
    const suppressed = await isSuppressed({ sessionKey, origin }, { store, running });
    const identity = ["paired", channel, accountId, senderId, requestedAtMs];
    return this.#plan({ sessionKey, target: origin, text: owner ? OWNER_TEXT : GUEST_TEXT, identity, nowMs: clock.now(), suppressed });
  }

  #plan(message: Omit<PlannedMessage, "purpose">): ReturnType<typeof planChatMessage> {
    return planChatMessage({ ...message, purpose: "notice" }, this.#options.channels);
  }
}

const REFUSALS = {
  known: "the sender is not in allowFrom and has a pairing code or was rejected",
  full: "the sender is not in allowFrom and too many others ask to be admitted",
} as const;

function requestText(code: string): string {
  return [
    "I do not know you yet, so I have not read your message.",
    `Your code is ${code}, valid for one hour. Give it to the owner of this assistant; if that is you, run on its machine: factotum pairing approve ${code}`,
    "I write to you here once you are admitted; then please send your message again.",
  ].join("\n\n");
}

function reminderText(code: string, minutes: number): string {
  return [
    "My owner has not decided yet whether I may talk to you, so I have not read this message either.",
    `Your code is ${code}, valid for ${plural(minutes, "more minute")}. If you are the owner, run on my machine: factotum pairing approve ${code}`,
  ].join("\n\n");
}

const OWNER_TEXT = "You are admitted, and you are my owner now. Please send your message again: I have not read the first one.";
const GUEST_TEXT = "You are admitted: I answer you from now on. Please send your message again: I have not read the first one.";

function unknownCode(): RpcError {
  return new RpcError(
    "not-found",
    "No pending request has this code: it may have expired, or been decided. See the codes with: factotum pairing list",
  );
}
