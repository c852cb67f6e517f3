import type { ChannelHost } from "@factotum/channel-contract";
import type { Adapter, ChatInstance, HistoryApi, Message, StateAdapter, TranscriptsApi } from "chat";
import { createAdapterLogger } from "../adapter/adapter-logger.ts";
import type { ParsedEvent, Inbox } from "./inbox.ts";

/** Converts the events of adapters; each may reject, and its event is then unreadable. */
export interface EventParsers {
  message(adapter: Adapter, threadId: string, message: Message): Promise<ParsedEvent>;
  edit(adapter: Adapter, threadId: string, message: Message): Promise<ParsedEvent>;
  deletion(event: Parameters<ChatInstance["processMessageDeleted"]>[0]): Promise<ParsedEvent>;
  reaction(event: Parameters<ChatInstance["processReaction"]>[0]): Promise<ParsedEvent>;
  action(event: Parameters<ChatInstance["processAction"]>[0]): Promise<ParsedEvent>;
  command(event: Parameters<ChatInstance["processSlashCommand"]>[0]): Promise<ParsedEvent>;
}

/** What the object that adapters call needs. */
export interface ChatInstanceParts {
  readonly host: Pick<ChannelHost, "logger">;
  readonly inbox: Pick<Inbox, "take">;
  readonly parsers: EventParsers;
  readonly state: StateAdapter;
}

type Given = Message | (() => Promise<Message>);

/**
 * The object that an adapter calls in place of the SDK's class `Chat`: every event goes to the inbox, and its promise resolves after the commit. What the SDK does with
 * events itself (locks, queues, handlers, history) is the gateway's.
 */
export function createChatInstance({ host, inbox, parsers, state }: ChatInstanceParts): ChatInstance {
  const logger = createAdapterLogger(host.logger);
  const ignore = (what: string) => (): void => host.logger.debug("event ignored", { reason: `the channel has no ${what}` });
  const messageOf = async (given: Given): Promise<Message> => (typeof given === "function" ? given() : given);
  const processMessage = async (adapter: Adapter, threadId: string, given: Given): Promise<void> =>
    inbox.take(async () => {
      const message = await messageOf(given);
      return message.metadata.edited ? parsers.edit(adapter, threadId, message) : parsers.message(adapter, threadId, message);
    });

  return {
    processMessage,
    handleIncomingMessage: processMessage,
    processMessageUpdated: async ({ adapter, threadId, message }) =>
      inbox.take(async () => parsers.edit(adapter, threadId, await messageOf(message))),
    processMessageDeleted: async (event) => inbox.take(async () => parsers.deletion(event)),
    processReaction: async (event) => inbox.take(async () => parsers.reaction(event)),
    processAction: async (event) => inbox.take(async () => parsers.action(event)),
    processSlashCommand: async (event) => inbox.take(async () => parsers.command(event)),
    processModalSubmit: () => Promise.resolve(undefined),
    processOptionsLoad: () => Promise.resolve(undefined),
    processModalClose: ignore("dialogs"),
    processAgentSessionStopped: ignore("sessions of the platform"),
    processAgentSessionTitleChanged: ignore("sessions of the platform"),
    processAppContextChanged: ignore("view of the platform"),
    processAppHomeOpened: ignore("view of the platform"),
    processAssistantContextChanged: ignore("view of the platform"),
    processAssistantThreadStarted: ignore("view of the platform"),
    processInstalled: ignore("use for installations"),
    processUninstalled: ignore("use for installations"),
    processMemberJoinedChannel: ignore("use for members"),
    abortTurn: () => Promise.resolve(),
    getLogger: () => logger,
    getState: () => state,
    // The adapter then asks the platform for the bot's name.
    getUserName: () => "",
    get history(): HistoryApi {
      throw new Error("the channel keeps no history for adapters");
    },
    get transcripts(): TranscriptsApi {
      throw new Error("the channel keeps no transcripts for adapters");
    },
  };
}
