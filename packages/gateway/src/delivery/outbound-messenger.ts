import type { Messenger, RunFacts, Clock, Logger } from "@factotum/agent-contract";
import type { Origin } from "@factotum/channel-contract";
import type { ChannelRegistry } from "../channels/channel-registry.ts";
import type { Dispatcher } from "./dispatcher.ts";
import type { RunningConfig } from "../agents/running-config.ts";
import type { LocalFiles } from "../media/local-files.ts";
import type { MediaStage } from "../media/media-stage.ts";
import type { RemoteFiles } from "../media/remote-files.ts";
import type { StorageGuard } from "../storage/storage-guard.ts";
import type { OutboxStore, SessionStore, TurnStore } from "@factotum/store";
import { isSuppressed } from "./is-suppressed.ts";
import { planMedia } from "./plan-media.ts";
import { planMessage } from "./plan-message.ts";

/** Dependencies of the messenger. */
export interface MessengerParts {
  readonly store: OutboxStore & SessionStore & TurnStore;
  readonly running: RunningConfig;
  readonly channels: ChannelRegistry;
  readonly dispatcher: Dispatcher;
  readonly files: LocalFiles;
  readonly remoteFiles: RemoteFiles;
  readonly media: MediaStage;
  readonly storage: StorageGuard;
  readonly logger: Logger;
  readonly clock: Clock;
}

/** Sends for the `message` tool. Tools are created before the engine, so `connect` provides the dependencies later. */
export class OutboundMessenger implements Messenger {
  #parts: MessengerParts | undefined;

  connect(parts: MessengerParts): void {
    this.#parts = parts;
  }

  async send(
    request: Parameters<Messenger["send"]>[0],
    options: { readonly signal: AbortSignal; readonly run: RunFacts },
  ): ReturnType<Messenger["send"]> {
    const parts = this.#parts;
    if (parts === undefined) return { type: "refused", message: "The gateway is not ready." };
    const { run } = options;
    const turn = await parts.store.readTurn(run.runId);
    if (turn === undefined) return { type: "refused", message: "This run has no address." };
    const target = await findTarget(request, turn.origin, parts, options);
    if ("refusal" in target) return { type: "refused", message: target.refusal };
    const channel = parts.channels.channelFor(target);
    if (channel === undefined)
      return {
        type: "refused",
        message: `There is no running channel behind this conversation (${target.channel}). Answer in your reply instead.`,
      };
    if (await isSuppressed({ sessionKey: run.sessionKey, origin: target }, parts))
      return { type: "refused", message: "The send policy does not let this session send messages." };
    const nowMs = parts.clock.now();
    const common = { sessionKey: run.sessionKey, target, purpose: "tool", identity: ["tool", run.runId, request.callId] } as const;
    const media = await planMedia(
      // The tool gate has authorized the call, including a file's address.
      { ...common, named: request.media === undefined ? [] : [request.media], run, mayFetch: true, signal: options.signal },
      { nowMs, suppressed: false },
      parts,
    );
    const [refusal] = media.failures;
    if (refusal !== undefined) return { type: "refused", message: refusal };
    const text = [request.text, ...media.words].filter((part) => part.trim() !== "").join("\n\n");
    const words = text === "" ? [] : planMessage({ ...common, text, nowMs, suppressed: false }, parts.channels);
    const rows = await parts.store.addOutbound([...words, ...media.rows], { turnId: run.runId });
    parts.dispatcher.dispatch(rows);
    return { type: "queued", channel: target.channel, target: target.conversation.id };
  }
}

/** The run's own origin, or the address that the call names; never a guess (R4). */
async function findTarget(
  request: Parameters<Messenger["send"]>[0],
  origin: Origin,
  parts: MessengerParts,
  options: { readonly signal: AbortSignal },
): Promise<Origin | { readonly refusal: string }> {
  if (request.target === undefined) {
    if (request.channel === undefined || request.channel === origin.channel) return origin;
    return {
      refusal: `To send on another channel (${request.channel}) name a target there: a conversation id, user:<id> or channel:<id>.`,
    };
  }
  const channelId = request.channel ?? origin.channel;
  if (channelId === origin.channel && request.target === origin.conversation.id) return origin;
  const accountId = channelId === origin.channel ? origin.accountId : "default";
  const channel = parts.channels.channelFor({ channel: channelId, accountId });
  if (channel === undefined) return { refusal: `There is no running channel "${channelId}".` };
  const found = await channel.resolveTarget(request.target, { signal: options.signal });
  // A platform may know less about a conversation than the run from it: its kind, its thread.
  if (found !== undefined && isSameConversation(found, origin)) return origin;
  return (
    found ?? { refusal: `"${request.target}" is no address on ${channelId}, or more than one. Use an exact id: user:<id> or channel:<id>.` }
  );
}

function isSameConversation(one: Origin, other: Origin): boolean {
  return one.channel === other.channel && one.accountId === other.accountId && one.conversation.id === other.conversation.id;
}
