import { createKeyedQueue } from "@factotum/channel-kit";
import type { InboxStore, InputRecord, SessionStore, TranscriptStore } from "@factotum/store";
import { conversationKey } from "../kernel/conversation-key.ts";
import { isSuppressed } from "../delivery/is-suppressed.ts";
import { planChatMessage } from "../delivery/plan-message.ts";
import type { Clock, Logger } from "@factotum/agent-contract";
import type { RunningConfig } from "../agents/running-config.ts";
import type { ChannelRegistry } from "../channels/channel-registry.ts";
import type { Dispatcher } from "../delivery/dispatcher.ts";
import type { Notices } from "../notices/notices.ts";
import type { InputWatchers } from "../queue/run-report.ts";

/** Reason of the dead letter. */
const TOO_OLD = "too-old";

const DAY_MS = 86_400_000;

/** Dependencies of the late-message handler. */
export interface LateMessagesOptions {
  readonly store: InboxStore & SessionStore & TranscriptStore;
  readonly running: RunningConfig;
  readonly channels: ChannelRegistry;
  readonly dispatcher: Dispatcher;
  readonly notices: Notices;
  readonly watchers: InputWatchers;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Dead-letters messages that their platform delivered too late. Each conversation is notified at most once a day, since an outage of the platform delays many
 * messages at once.
 */
export class LateMessages {
  readonly #options: LateMessagesOptions;
  readonly #queue = createKeyedQueue();

  constructor(options: LateMessagesOptions) {
    this.#options = options;
  }

  async refuse(sessionKey: string, input: InputRecord): Promise<void> {
    const { clock, running } = this.#options;
    const nowMs = clock.now();
    const identity = [TOO_OLD, conversationKey(input.message.origin), Math.floor(nowMs / DAY_MS)];
    const notice = { text: textFor(running.config.messages.inbound.maxAgeHours), identity, nowMs };
    await this.#queue.run(identity.join("|"), async () => {
      await this.#settle(sessionKey, input, notice);
      await this.#show(sessionKey, notice);
    });
  }

  /** Settles the input and stores the notice in one commit; the notice's identity deduplicates it per day. */
  async #settle(sessionKey: string, input: InputRecord, notice: LateNotice): Promise<void> {
    const { store, running, channels, dispatcher, logger, watchers } = this.#options;
    const { origin, messageId, timestampMs } = input.message;
    const suppressed = await isSuppressed({ sessionKey, origin }, { store, running });
    const outbox = planChatMessage({ sessionKey, target: origin, purpose: "notice", replyTo: messageId, suppressed, ...notice }, channels);
    const ended = await store.settleInputs([input.id], { type: "dead", reason: TOO_OLD }, { outbox });
    dispatcher.dispatch(ended.outbox);
    watchers.settled([input.id], TOO_OLD);
    const ageMs = input.receivedAtMs - timestampMs;
    logger.warn("A message was delivered too late and is a dead letter", { inputId: input.id, sessionKey, channel: origin.channel, ageMs });
  }

  async #show(sessionKey: string, { text, identity }: LateNotice): Promise<void> {
    const { store, notices } = this.#options;
    const key = identity.join("|");
    if ((await store.findNotice(key)) === undefined) await notices.addEntry(sessionKey, { level: "warning", text, key });
  }
}

interface LateNotice {
  readonly text: string;
  /** Identifies one conversation and one day. */
  readonly identity: readonly (string | number)[];
  readonly nowMs: number;
}

function textFor(hours: number): string {
  return `What you sent here reached me more than ${hours} ${hours === 1 ? "hour" : "hours"} late, so I have not acted on it. Please send it again if it still matters.`;
}
