import { withoutUndefined } from "@factotum/agent-contract";
import { MAX_REPLY_CONTEXT_BYTES } from "@factotum/channel-contract";
import type { AccountProgress, AccountState, ChannelCapabilities, ChannelHost, MsgContext, Origin } from "@factotum/channel-contract";
import { scopedOrigin } from "../kernel/person-id.ts";
import { StoreError } from "@factotum/store";
import type { AccountStore } from "@factotum/store";

/** Receives the events of channels. */
export interface MessageIntake {
  /** Resolves once the message is committed; rejects if the commit failed. */
  acceptEvent(message: MsgContext, options: { readonly progress?: AccountProgress }): Promise<"accepted" | "duplicate">;
  /** True if the running configuration admits the sender of a message. */
  admits(message: MsgContext): boolean;
}

/** Dependencies of the host of an account. */
export interface AccountHostOptions extends Pick<
  ChannelHost,
  "clock" | "random" | "fetch" | "fetchPublic" | "logger" | "commands" | "webhookUrl"
> {
  readonly store: AccountStore;
  /** `undefined` until messages can be accepted. */
  readonly intake: () => MessageIntake | undefined;
  /** Of the account's channel; `undefined` while there is none. */
  readonly capabilities: () => Pick<ChannelCapabilities, "idScope"> | undefined;
}

/** The gateway as a channel sees it for one account, with the messages and the state of this account alone. */
export function createAccountHost(account: Pick<Origin, "channel" | "accountId">, options: AccountHostOptions): ChannelHost {
  const { store, intake, clock, random, fetch, fetchPublic, logger, commands, webhookUrl, capabilities } = options;
  const { channel, accountId } = account;
  /** The address as the gateway stores it: a channel names no agent. */
  const stored = ({ speaker: _speaker, ...origin }: Origin): Origin => scopedOrigin(origin, capabilities());
  const commit = async (progress: AccountProgress): Promise<void> => withRangeErrors(async () => store.commitProgress(account, progress));
  const state: AccountState = {
    get: async (key) => store.readAccountState(account, key),
    list: async (prefix) => store.listAccountState(account, prefix),
    set: async (key, value, rowOptions) =>
      commit({
        state: [{ type: "set", key, value, ...withoutUndefined({ isSecret: rowOptions?.isSecret, expiresAtMs: rowOptions?.expiresAtMs }) }],
      }),
    delete: async (key) => commit({ state: [{ type: "delete", key }] }),
  };
  return {
    accountId,
    receive: async (message: MsgContext, progress?: AccountProgress) => {
      if (message.origin.channel !== channel || message.origin.accountId !== accountId) {
        throw new Error(`a message of ${message.origin.channel}:${message.origin.accountId} came from the channel ${channel}:${accountId}`);
      }
      checkIds(message);
      const { replyContext } = message;
      if (replyContext !== undefined && Buffer.byteLength(replyContext.data) > MAX_REPLY_CONTEXT_BYTES)
        throw new RangeError(`The reply context of a message has more than ${MAX_REPLY_CONTEXT_BYTES} bytes.`);
      const receiver = intake();
      if (receiver === undefined) throw new Error("nobody takes messages yet");
      return withRangeErrors(async () =>
        receiver.acceptEvent({ ...message, origin: stored(message.origin) }, withoutUndefined({ progress })),
      );
    },
    admits: (message) => intake()?.admits({ ...message, origin: stored(message.origin) }) ?? true,
    commit,
    cursor: async () => store.readCursor(account),
    state,
    commands,
    webhookUrl,
    clock,
    random,
    fetch,
    fetchPublic,
    logger: logger.child({ channel, accountId }),
  };
}

/** Ids become parts of keys (R10). A RangeError for one that holds what no key can hold: a NUL, or half of a surrogate pair. */
function checkIds({ origin, sender, eventId, messageId }: MsgContext): void {
  const { conversation } = origin;
  const ids = { conversation: conversation.id, thread: conversation.threadId ?? "", sender: sender.id, event: eventId, message: messageId };
  for (const [name, id] of Object.entries(ids)) {
    if (id.includes("\u0000") || !id.isWellFormed())
      throw new RangeError(`The id of a message's ${name} holds a character that an id cannot have: ${JSON.stringify(id)}.`);
  }
}

/** The contract has no store errors: an argument that a channel must not pass is a RangeError. */
async function withRangeErrors<Result>(call: () => Promise<Result>): Promise<Result> {
  try {
    return await call();
  } catch (error) {
    if (StoreError.isInstance(error) && error.code === "invalid") throw new RangeError(error.message, { cause: error });
    throw error;
  }
}
