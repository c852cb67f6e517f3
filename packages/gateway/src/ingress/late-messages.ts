import { createKeyedQueue } from "@factotum/channel-kit";
import type { InputRecord } from "@factotum/store";
import { conversationKey } from "../kernel/conversation-key.ts";
import { isSuppressed } from "../delivery/is-suppressed.ts";
import { planChatMessage } from "../delivery/plan-message.ts";
import { publishEntry } from "../delivery/publish-entry.ts";
import type { TurnServices } from "../services/turn-services.ts";

/** The reason of the dead letter. */
const TOO_OLD = "too-old";

const DAY_MS = 86_400_000;

/**
 * Makes dead letters of messages that their platform delivered too late. Each conversation is told once a day at most, since many such messages come at
 * once after an outage of the platform.
 */
export class LateMessages {
  readonly #services: TurnServices;
  readonly #queue = createKeyedQueue();

  constructor(services: TurnServices) {
    this.#services = services;
  }

  async refuse(sessionKey: string, input: InputRecord): Promise<void> {
    const { clock, config } = this.#services;
    const nowMs = clock.now();
    const identity = [TOO_OLD, conversationKey(input.message.origin), Math.floor(nowMs / DAY_MS)];
    const notice = { text: textFor(config.messages.inbound.maxAgeHours), identity, nowMs };
    await this.#queue.run(identity.join("|"), async () => {
      await this.#settle(sessionKey, input, notice);
      await this.#show(sessionKey, notice);
    });
  }

  /** In one commit with the word to the chat: its identity makes a second one of the day the same row. */
  async #settle(sessionKey: string, input: InputRecord, notice: LateNotice): Promise<void> {
    const { store, channels, dispatcher, logger, watchers } = this.#services;
    const { origin, messageId, timestampMs } = input.message;
    const suppressed = await isSuppressed({ sessionKey, origin }, this.#services);
    const outbox = planChatMessage({ sessionKey, target: origin, purpose: "notice", replyTo: messageId, suppressed, ...notice }, channels);
    const ended = await store.settleInputs([input.id], { type: "dead", reason: TOO_OLD }, { outbox });
    dispatcher.dispatch(ended.outbox);
    watchers.settled([input.id], TOO_OLD);
    const ageMs = input.receivedAtMs - timestampMs;
    logger.warn("A message was delivered too late and is a dead letter", { inputId: input.id, sessionKey, channel: origin.channel, ageMs });
  }

  async #show(sessionKey: string, { text, identity, nowMs }: LateNotice): Promise<void> {
    const { store } = this.#services;
    const key = identity.join("|");
    const session = await store.readSession(sessionKey);
    if (session === undefined || (await store.findNotice(key)) !== undefined) return;
    const entry = await store.appendEntry(session.sessionId, { type: "notice", level: "warning", text, key }, { timestampMs: nowMs });
    publishEntry(this.#services, sessionKey, entry, undefined);
  }
}

interface LateNotice {
  readonly text: string;
  /** One conversation and one day. */
  readonly identity: readonly (string | number)[];
  readonly nowMs: number;
}

function textFor(hours: number): string {
  return `What you sent here reached me more than ${hours} ${hours === 1 ? "hour" : "hours"} late, so I have not acted on it. Please send it again if it still matters.`;
}
