import type { MsgContext } from "@factotum/channel-contract";
import type { InboxStore, InputState } from "@factotum/store";
import type { RunningConfig } from "../agents/running-config.ts";
import type { ChannelRegistry } from "../channels/channel-registry.ts";
import type { InputPolicy } from "../conversation/input-policy.ts";
import { conversationKey } from "../kernel/conversation-key.ts";
import { isHostText } from "../run-policy/input-traits.ts";
import { GroupHistoryBuffer } from "./group-history-buffer.ts";

/** The reason for which group messages that wait for a mention are ignored. */
export const NOT_ADDRESSED = "not addressed to the assistant";

/** Inputs that are read at a start to restore these messages. */
const RECALLED_INPUTS = 1000;

/** States of inputs that were given no history: they have no turn, or not yet. */
const LEAVES_HISTORY: ReadonlySet<InputState["type"]> = new Set<InputState["type"]>(["ignored", "waiting", "command", "shown"]);

/** Dependencies of the messages that wait for a mention. */
interface OverheardOptions {
  readonly store: Pick<InboxStore, "listRecentInputs">;
  readonly running: RunningConfig;
  readonly channels: ChannelRegistry;
  readonly policy: InputPolicy;
}

/** Group messages that were not addressed to the assistant; the next turn of their conversation is given them. */
export class OverheardMessages {
  readonly #options: OverheardOptions;
  readonly #buffer = new GroupHistoryBuffer();

  constructor(options: OverheardOptions) {
    this.#options = options;
  }

  /**
   * Restores them at a start. Those before a message that started a turn were given to that turn. Only the newest inputs are read, so a quiet group behind a
   * busy one may lose its oldest ones.
   */
  async recall(): Promise<void> {
    const { store, running, channels } = this.#options;
    const given = new Set<string>();
    const kept: MsgContext[] = [];
    const recent = running.config.messages.groupChat.historyLimit === 0 ? [] : await store.listRecentInputs(RECALLED_INPUTS);
    for (const { message, admission, state } of recent) {
      if (isHostText(admission)) continue;
      const conversation = conversationKey(channels.moves.original(message.origin));
      if (state.type === "ignored" && state.reason === NOT_ADDRESSED && !given.has(conversation)) kept.push(message);
      if (!LEAVES_HISTORY.has(state.type)) given.add(conversation);
    }
    for (const message of kept.toReversed()) this.add(message);
  }

  /** Keeps a message, at most `messages.groupChat.historyLimit` of a conversation. */
  add(message: MsgContext): void {
    this.#buffer.add(message, this.#options.running.config.messages.groupChat.historyLimit);
  }

  /** Removes and returns those before a message, without people who are not admitted any more. */
  take(message: MsgContext): readonly MsgContext[] {
    const { policy, channels } = this.#options;
    const overheard = this.#buffer.take(channels.moves.addressesOf(message.origin));
    return overheard.filter((one) => policy.admits({ message: one, admission: policy.admissionOf(one) }));
  }
}
