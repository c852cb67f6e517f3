import type { MsgContext } from "@factotum/channel-contract";
import type { InboxStore, InputAdmission, InputRecord, InputState } from "@factotum/store";
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
    const kept: { readonly message: MsgContext; readonly reader: string }[] = [];
    const recent = running.config.messages.groupChat.historyLimit === 0 ? [] : await store.listRecentInputs(RECALLED_INPUTS);
    for (const { message, admission, state } of recent) {
      if (isHostText(admission)) continue;
      const conversation = conversationKey(channels.moves.original(message.origin));
      const historyOf = (reader: string): string => JSON.stringify([conversation, reader]);
      if (state.type === "ignored" && state.reason === NOT_ADDRESSED)
        for (const reader of this.#readersOf(message)) if (!given.has(historyOf(reader))) kept.push({ message, reader });
      if (!LEAVES_HISTORY.has(state.type)) given.add(historyOf(readerOf(admission)));
    }
    for (const { message, reader } of kept.toReversed()) this.#keep(message, reader);
  }

  /** Keeps a message, at most `messages.groupChat.historyLimit` of a conversation. */
  add(message: MsgContext): void {
    for (const reader of this.#readersOf(message)) this.#keep(message, reader);
  }

  /** Removes and returns those before a message, without people who are not admitted any more. Each agent of a conversation gets them once. */
  take({ message, admission }: Pick<InputRecord, "message" | "admission">): readonly MsgContext[] {
    const { policy, channels } = this.#options;
    const overheard = this.#buffer.take(channels.moves.addressesOf(message.origin), readerOf(admission));
    return overheard.filter((one) => policy.admits({ message: one, admission: policy.admissionOf(one) }));
  }

  #keep(message: MsgContext, reader: string): void {
    this.#buffer.add(message, this.#options.running.config.messages.groupChat.historyLimit, reader);
  }

  #readersOf(message: MsgContext): readonly string[] {
    return this.#options.policy.broadcastAgents(message) ?? [readerOf({})];
  }
}

/** The agent that the history is for, where several answer the conversation. */
function readerOf({ broadcast }: Pick<InputAdmission, "broadcast">): string {
  return broadcast?.agentId ?? "";
}
