import { withoutUndefined } from "@factotum/agent-contract";
import type {
  Clock,
  Logger,
  MessageOperation,
  Messenger,
  MessengerRequest,
  MessengerResult,
  Random,
  RunFacts,
} from "@factotum/agent-contract";
import { messageId } from "@factotum/channel-contract";
import type { Channel, Origin } from "@factotum/channel-contract";
import type { InboxStore, NewOutbound, OutboxStore, SessionStore, TranscriptStore, TurnStore } from "@factotum/store";
import type { RunningConfig } from "../agents/running-config.ts";
import type { ChannelRegistry } from "../channels/channel-registry.ts";
import type { SessionCache } from "../context/session-cache.ts";
import type { SessionEvents } from "../events/session-events.ts";
import type { LocalFiles } from "../media/local-files.ts";
import type { MediaStage } from "../media/media-stage.ts";
import type { RemoteFiles } from "../media/remote-files.ts";
import type { StorageGuard } from "../storage/storage-guard.ts";
import type { Dispatcher } from "./dispatcher.ts";
import { isSuppressed } from "./is-suppressed.ts";
import { planMedia } from "./plan-media.ts";
import { planMessage } from "./plan-message.ts";
import { withCaption } from "./with-caption.ts";
import { publishEntry } from "./publish-entry.ts";
import type { RowKind } from "./resolve-outbound.ts";
import { findTarget } from "./rich/find-target.ts";
import { KnownMessages } from "./rich/known-messages.ts";
import { performAction } from "./rich/perform-action.ts";
import { audienceOf, planOperation } from "./rich/plan-operation.ts";
import type { PlannedOperation } from "./rich/plan-operation.ts";
import { recordSend } from "./rich/recorded-send.ts";

/** Dependencies of the messenger. */
export interface MessengerParts {
  readonly store: OutboxStore & SessionStore & TurnStore & TranscriptStore & InboxStore;
  readonly running: RunningConfig;
  readonly channels: ChannelRegistry;
  readonly dispatcher: Dispatcher;
  readonly events: SessionEvents;
  readonly cache: SessionCache;
  readonly files: LocalFiles;
  readonly remoteFiles: RemoteFiles;
  readonly media: MediaStage;
  readonly storage: StorageGuard;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly random: Random;
  /** True for a button's value that the gateway would run as a command. */
  readonly isCommand: (value: string) => boolean;
}

/** One call with its address. */
interface AddressedCall {
  readonly request: MessengerRequest;
  readonly target: Origin;
  readonly channel: Channel;
  readonly run: RunFacts;
  readonly signal: AbortSignal;
  readonly nowMs: number;
}

/** Sends for the `message` tool. Tools are created before the engine, so `connect` provides the dependencies later. */
export class OutboundMessenger implements Messenger {
  #parts: MessengerParts | undefined;
  readonly #known = new KnownMessages();

  connect(parts: MessengerParts): void {
    this.#parts = parts;
  }

  async perform(
    request: MessengerRequest,
    { run, signal }: { readonly signal: AbortSignal; readonly run: RunFacts },
  ): Promise<MessengerResult> {
    const parts = this.#parts;
    if (parts === undefined) return refused("The gateway is not ready.");
    const turn = await parts.store.readTurn(run.runId);
    if (turn === undefined) return refused("This run has no address.");
    const found = await findTarget(request, turn.origin, { channels: parts.channels, signal });
    if ("refusal" in found) return refused(found.refusal);
    const { target, channel } = found;
    const foreign = await this.#known.findForeign(request, { chat: target, turn }, parts);
    if (foreign !== undefined) return refused(unknownMessage(foreign));
    if (request.operation.type === "act") {
      const result = await performAction(request.operation, { target, channel, signal });
      if (result.type === "done") this.#known.note(target, result.value);
      return result;
    }
    if (await isSuppressed({ sessionKey: run.sessionKey, origin: target }, parts))
      return refused("The send policy does not let this session send messages.");
    const call: AddressedCall = { request, target, channel, run, signal, nowMs: parts.clock.now() };
    const planned = await plan(call, request.operation, parts);
    return "refusal" in planned ? refused(planned.refusal) : send(call, planned.rows, parts);
  }
}

function refused(message: string): MessengerResult {
  return { type: "refused", message };
}

function unknownMessage(id: string): string {
  return `${JSON.stringify(id)} is not known as a message or thread of that conversation. Use a message_id or reply_to_id that you were given there, or leave it out.`;
}

async function plan(
  call: AddressedCall,
  operation: Exclude<MessageOperation, { type: "act" }>,
  parts: MessengerParts,
): Promise<PlannedOperation> {
  if (operation.type === "send") return planSend(call, operation, parts);
  const { request, target, channel, run, nowMs } = call;
  const identity = ["tool", run.runId, request.callId];
  return planOperation({ operation, request, target, channel, sessionKey: run.sessionKey, identity, nowMs }, parts);
}

async function planSend(
  { request, target, channel, run, signal, nowMs }: AddressedCall,
  { text, media: named, mentions }: Extract<MessageOperation, { type: "send" }>,
  parts: MessengerParts,
): Promise<PlannedOperation> {
  const audience = audienceOf(request, channel);
  if ("refusal" in audience) return audience;
  if (audience.onlyFor !== undefined && named !== undefined) return { refusal: "a file cannot be shown to one person alone (onlyFor)." };
  const common = { sessionKey: run.sessionKey, target, purpose: "tool", identity: ["tool", run.runId, request.callId] } as const;
  const media = await planMedia(
    // The tool gate has authorized the call, including a file's address.
    {
      ...common,
      named: named === undefined ? [] : [named],
      run,
      mayFetch: true,
      signal,
      ...withoutUndefined({ silent: audience.silent }),
    },
    { nowMs, suppressed: false },
    parts,
  );
  const [refusal] = media.failures;
  if (refusal !== undefined) return { refusal };
  const words = [text, ...media.words].filter((part) => part.trim() !== "").join("\n\n");
  const replyTo = request.replyTo === undefined ? undefined : messageId(request.replyTo);
  const rows = planMessage(
    {
      ...common,
      text: words,
      hasFiles: media.rows.length > 0,
      nowMs,
      suppressed: false,
      audience,
      ...withoutUndefined({ mentions, replyTo }),
    },
    parts.channels,
  );
  return { rows: withCaption(rows, media.rows, channel.capabilities) };
}

/** The kinds of which a row becomes one message, which can be changed later. */
const IS_ONE_MESSAGE: Readonly<Record<RowKind, boolean>> = {
  text: true,
  card: true,
  poll: true,
  media: true,
  album: false,
  edit: false,
  "edit-card": false,
  delete: false,
  reaction: false,
};

/** Commits the rows, and in the same commit their record in the session of another conversation. */
async function send(call: AddressedCall, rows: readonly NewOutbound[], parts: MessengerParts): Promise<MessengerResult> {
  const { request, target, channel, run, nowMs } = call;
  const personId = request.target?.startsWith("user:") === true ? request.target.slice("user:".length) : undefined;
  const notice = await recordSend({ rows, target, personId, run, callId: request.callId, nowMs }, parts);
  const stored = await parts.store.addOutbound(rows, { turnId: run.runId, ...withoutUndefined({ notice }) });
  parts.dispatcher.dispatch(stored);
  if (notice !== undefined) {
    parts.cache.forgetModelNotes(notice.sessionId);
    const entry = await parts.store.findNotice(notice.body.key);
    if (entry !== undefined) publishEntry(parts, notice.sessionKey, entry, undefined);
  }
  const [first, ...more] = stored;
  const { edit, delete: remove, cardEdits } = channel.capabilities;
  const isMessage = rows.every(({ outbound }) => IS_ONE_MESSAGE[outbound.type]);
  const id = isMessage && more.length === 0 && (edit || remove || cardEdits === true) ? first?.id : undefined;
  return { type: "queued", channel: target.channel, target: target.conversation.id, ...withoutUndefined({ messageId: id }) };
}
