import { withoutUndefined } from "@factotum/agent-contract";
import type { Clock } from "@factotum/agent-contract";
import type { Card, MsgContext, Origin } from "@factotum/channel-contract";
import type { NoticeBlock } from "@factotum/protocol";
import type {
  InboxStore,
  InputAnswer,
  InputRecord,
  OutboxStore,
  SessionRecord,
  SessionStore,
  TerminalInputState,
  TranscriptBody,
  TranscriptStore,
} from "@factotum/store";
import type { RunningConfig } from "../agents/running-config.ts";
import type { ChannelRegistry } from "../channels/channel-registry.ts";
import type { Conversations } from "../conversation/conversations.ts";
import type { Dispatcher } from "../delivery/dispatcher.ts";
import { isSuppressed } from "../delivery/is-suppressed.ts";
import { planChatCard } from "../delivery/plan-card.ts";
import { isOwnAddress, planChatMessage } from "../delivery/plan-message.ts";
import type { PlannedMessage } from "../delivery/plan-message.ts";
import { versionsWith } from "../delivery/entry-versions.ts";
import { publishEntry } from "../delivery/publish-entry.ts";
import type { SessionEvents } from "../events/session-events.ts";
import type { InputWatchers } from "../queue/run-report.ts";
import { RUN_POLICY } from "../run-policy/run-policy.ts";
import { parseAgentSessionKey } from "../routing/session-key.ts";
import { noticeBlocks, renderNoticeText } from "./notice-text.ts";
import type { CommandAnswer } from "./notice-text.ts";

/** Dependencies of the gateway's own messages. */
export interface NoticesOptions {
  readonly store: InboxStore & OutboxStore & SessionStore & TranscriptStore;
  readonly running: RunningConfig;
  readonly channels: ChannelRegistry;
  readonly conversations: Conversations;
  readonly dispatcher: Dispatcher;
  readonly events: SessionEvents;
  /** Notified when an input is settled. */
  readonly watchers: InputWatchers;
  readonly clock: Clock;
}

/** The gateway's own answer to an input. */
export interface GatewayAnswer {
  readonly text: string;
  /** The same with its structure, for clients that lay it out. */
  readonly blocks?: readonly NoticeBlock[];
  readonly level: "info" | "warning" | "error";
  readonly state: TerminalInputState;
  /** Of its messages: a reply to one that is no `notice` brings text of others. Default `notice`. */
  readonly purpose?: "notice" | "reply";
  /** The input was written by the gateway: its words are not shown. */
  readonly hidesInput?: true;
}

/** A notice about a message that is still being processed. */
export interface MessageNotice {
  /** At most one notice of each kind is sent per message, however often this is called. */
  readonly about: "ended" | "wait";
  readonly text: string;
  /** Also stored in the transcript, and passed to a client that waits for the answer. */
  readonly isEntry: boolean;
  /** The send policy denies sending it to the channel. */
  readonly suppressed: boolean;
}

/** Why an input gets no turn, and the text for its sender. */
export const DROPPED = {
  overflow: {
    reason: "too many messages waited",
    text: "Too many messages wait here, so I have dropped this one. Please say it again when I am done.",
  },
  ended: {
    reason: "the sub-agent that it was for has ended",
    text: "The sub-agent that this message was for has ended, so it was not read. Sent again, it goes to this conversation's own session.",
  },
  stopped: {
    reason: "the work here was stopped",
    text: "This message was dropped: somebody stopped the work here and what waited for it.",
  },
} as const;

/** Sends the gateway's own messages, to chats and to transcripts. */
export class Notices {
  readonly #options: NoticesOptions;

  constructor(options: NoticesOptions) {
    this.#options = options;
  }

  /**
   * Settles an input without a turn. One commit stores the answer for the channel, and both the message and the answer in the transcript, hidden from the
   * model. A send policy that denies suppresses the answer, unless it answers a command: a caller that asks the gateway itself, possibly about the policy, is
   * answered.
   */
  async answer(sessionKey: string, input: InputRecord, answer: GatewayAnswer): Promise<void> {
    const { channels, clock } = this.#options;
    const { origin, messageId } = input.message;
    const suppressed = answer.state.type !== "command" && (await this.#isSuppressed(sessionKey, origin));
    // The task of a sub-agent comes from no platform: its parent is notified. What sessions say to each other is not their chats'.
    const isInternal = RUN_POLICY[input.admission.kind].reply === "to-parent" || input.admission.agentToAgent?.step === "message";
    const planned = planChatMessage(
      {
        sessionKey,
        target: origin,
        text: answer.text,
        purpose: answer.purpose ?? "notice",
        ...(messageId === "" ? {} : { replyTo: messageId }),
        // The platform's id: the store's own numbers restart with every store, and the platform may still know an earlier store's key.
        identity: ["input", origin.channel, origin.accountId, origin.conversation.id, input.message.eventId, "notice"],
        nowMs: clock.now(),
        suppressed,
      },
      channels,
    );
    const outbox = isInternal ? [] : planned;
    // A dead letter stays one, whether or not the text is sent.
    const state: TerminalInputState = suppressed && answer.state.type !== "dead" ? { type: "suppressed" } : answer.state;
    await this.endInputs(sessionKey, [input], { ...answer, state, outbox });
  }

  /** Answers a command, and notifies the watchers of its input. An answer that is a `reply` is shown as words of others. */
  async answerCommand(
    sessionKey: string,
    input: InputRecord,
    answer: CommandAnswer,
    { purpose = "notice" }: Pick<GatewayAnswer, "purpose"> = {},
  ): Promise<void> {
    const text = renderNoticeText(answer);
    const blocks = purpose === "reply" ? { blocks: [{ type: "quote", text }] as const } : noticeBlocks(answer);
    await this.answer(sessionKey, input, { text, ...blocks, level: "info", state: { type: "command" }, purpose });
    this.#options.watchers.answered([input.id], text);
  }

  /** Settles an input without a turn, with a notice to its sender. */
  async drop(sessionKey: string, input: InputRecord, { reason, text }: (typeof DROPPED)[keyof typeof DROPPED]): Promise<void> {
    await this.answer(sessionKey, input, { text, level: "warning", state: { type: "told", reason } });
    this.#options.watchers.settled([input.id], reason);
  }

  /**
   * Settles inputs that were stopped before their run, for a stop whose effect is visible there: the transcript keeps the messages for people, hidden from the
   * model.
   */
  async endStopped(sessionKey: string, inputs: readonly InputRecord[], reason: string): Promise<void> {
    const { store, watchers } = this.#options;
    const said = inputs.filter(({ admission }) => RUN_POLICY[admission.kind].isAttended);
    const unattended = inputs.filter((input) => !said.includes(input)).map(({ id }) => id);
    if (unattended.length > 0) await store.settleInputs(unattended, { type: "ignored", reason });
    if (said.length > 0)
      await this.endInputs(sessionKey, said, { state: { type: "told", reason }, level: "info", text: `Not begun: ${reason}.` });
    watchers.settled(
      inputs.map(({ id }) => id),
      reason,
    );
  }

  /** Settles inputs without a turn, with their text and one notice in the transcript, in the same commit as the rows for their chat, if any. */
  async endInputs(sessionKey: string, inputs: readonly InputRecord[], end: GatewayAnswer & Pick<InputAnswer, "outbox">): Promise<void> {
    const { store, dispatcher } = this.#options;
    const session = await this.#sessionOf(sessionKey, inputs);
    const entries: readonly TranscriptBody[] = [
      ...(end.hidesInput === true ? [] : inputs.map(({ message }) => uiMessage(message))),
      { type: "notice", level: end.level, text: end.text, ...withoutUndefined({ blocks: end.blocks }) },
    ];
    const ended = await store.settleInputs(
      inputs.map(({ id }) => id),
      end.state,
      {
        ...withoutUndefined({ outbox: end.outbox }),
        ...(session === undefined ? {} : { transcript: { sessionId: session.sessionId, entries } }),
      },
    );
    dispatcher.dispatch(ended.outbox);
    const versions = session === undefined ? [] : await versionsWith(inputs, session.sessionId, store);
    for (const entry of ended.entries) publishEntry(this.#options, sessionKey, entry, undefined, versions);
  }

  /** Sends a notice to the chat of a message, as a reply to it. The gateway's own clients get no rows: they read the conversation. */
  async replyTo(
    sessionKey: string,
    { id, message: { origin, messageId, eventId } }: InputRecord,
    { about, text, isEntry, suppressed }: MessageNotice,
  ): Promise<void> {
    const identity = ["input", origin.channel, origin.accountId, origin.conversation.id, eventId, about];
    if (isEntry) this.#options.watchers.notice([id], text);
    await this.#send({ sessionKey, target: origin, text, replyTo: messageId, identity, suppressed });
    if (isEntry) await this.addEntry(sessionKey, { level: "info", text });
  }

  /** Sends a message of the gateway's own, as the card where the chat shows it whole. None to the gateway's own clients, which read the transcript, and none to an account that does not exist. */
  async sendToChat(
    sessionKey: string,
    target: Origin,
    {
      text,
      identity,
      card,
      purpose,
    }: Pick<GatewayAnswer, "purpose"> & {
      readonly text: string;
      readonly identity: readonly (string | number)[];
      readonly card?: Card;
    },
  ): Promise<void> {
    if (this.#options.channels.accountFor(target) === undefined) return;
    const suppressed = await this.#isSuppressed(sessionKey, target);
    await this.#send({ sessionKey, target, text, identity, suppressed, ...withoutUndefined({ purpose }) }, card);
  }

  /** Adds a notice to the transcript, where the owner sees it. */
  async addEntry(sessionKey: string, notice: Pick<GatewayAnswer, "level" | "text" | "blocks"> & { readonly key?: string }): Promise<void> {
    const { store, clock } = this.#options;
    const session = await store.readSession(sessionKey);
    if (session === undefined) return;
    const entry = await store.appendEntry(session.sessionId, { type: "notice", ...notice }, { timestampMs: clock.now() });
    publishEntry(this.#options, sessionKey, entry, undefined);
  }

  async #send(message: Omit<PlannedMessage, "purpose" | "nowMs"> & Pick<GatewayAnswer, "purpose">, card?: Card): Promise<void> {
    const { store, channels, clock, dispatcher } = this.#options;
    const planned = { purpose: "notice", ...message, nowMs: clock.now() } as const;
    const rows = card === undefined ? planChatMessage(planned, channels) : planChatCard(planned, card, channels);
    if (rows.length > 0) dispatcher.dispatch(await store.addOutbound(rows));
  }

  async #isSuppressed(sessionKey: string, origin: Origin): Promise<boolean> {
    const { store, running } = this.#options;
    return isSuppressed({ sessionKey, origin }, { store, running });
  }

  /** Creates the session for an answer to a client that reads the transcript, which would not show it otherwise; a platform shows the answer itself. */
  async #sessionOf(sessionKey: string, [input]: readonly InputRecord[]): Promise<SessionRecord | undefined> {
    const { store, channels, running, conversations } = this.#options;
    const session = await store.readSession(sessionKey);
    if (session !== undefined || input === undefined || !isOwnAddress(input.message.origin, channels)) return session;
    const agentId = input.admission.agentId ?? parseAgentSessionKey(sessionKey)?.agentId ?? running.config.defaultAgentId;
    return conversations.ensure({ sessionKey, agentId, input });
  }
}

function uiMessage({ text, origin, eventId, sender, attachments }: MsgContext): TranscriptBody {
  return {
    type: "ui-message",
    text,
    channel: origin.channel,
    eventId,
    ...withoutUndefined({ sender: sender.name }),
    ...(attachments.length === 0 ? {} : { attachments: attachments.length }),
  };
}
