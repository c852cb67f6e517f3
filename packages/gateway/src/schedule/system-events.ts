import { withoutUndefined } from "@factotum/agent-contract";
import type { Clock, Random, RunKind } from "@factotum/agent-contract";
import { messageId } from "@factotum/channel-contract";
import type { UntrustedNote } from "@factotum/channel-contract";
import type { InputSource } from "@factotum/store";
import type { RunningConfig } from "../agents/running-config.ts";
import type { PendingEvents } from "../queue/pending-events.ts";
import { agentSessionKey, normalizeSessionKey } from "../routing/session-key.ts";
import { GATEWAY_SENDER, sessionOrigin } from "../routing/session-origin.ts";
import type { TurnIntake } from "./agent-turn.ts";
import type { HeartbeatWaker } from "./heartbeat-waker.ts";
import { heartbeatSession } from "./heartbeat-job.ts";

/** UTF-16 units of an event's text: the model is shown this much. */
export const MAX_EVENT_CHARS = 1000;

/** `now` makes the agent's heartbeat due at once. */
type EventWake = "now" | "next-heartbeat";

/** An event for a session. */
export interface NewSystemEvent {
  readonly agentId: string;
  /** By default the session of the agent's heartbeat: its main session, unless the heartbeat has one of its own. */
  readonly sessionKey?: string;
  /** Words of the owner or the gateway, at most `MAX_EVENT_CHARS`; may be empty if there are notes. */
  readonly text: string;
  /** Text of others: shown as such, and the turn that shows it is tainted (R23). */
  readonly untrusted?: readonly UntrustedNote[];
  readonly wake: EventWake;
  readonly kind: Extract<RunKind, "user" | "cron" | "hook">;
  /** An event with the same id is accepted once. A new id by default. */
  readonly eventId?: string;
  /** The digest of the request that it came with. */
  readonly bodyDigest?: string;
  readonly madeBy?: InputSource;
}

/** What became of an event. `refused` says what to do. */
export type AddedEvent =
  | {
      readonly type: "added";
      readonly sessionKey: string;
      readonly inputId: string;
      /** Why nothing was woken at once. */
      readonly note?: string;
    }
  | { readonly type: "refused"; readonly message: string };

/** Dependencies of system events. */
export interface SystemEventsOptions {
  readonly intake: TurnIntake;
  readonly pendingEvents: PendingEvents;
  readonly running: RunningConfig;
  readonly waker: Pick<HeartbeatWaker, "wake">;
  readonly clock: Clock;
  readonly random: Random;
}

/**
 * Takes system events: inputs that begin no turn, and wait in the inbox until the next turn of their session is committed with them, whatever its kind. A turn
 * whose commit fails leaves them there, so that each is shown exactly once, through any restart.
 */
export class SystemEvents {
  readonly #options: SystemEventsOptions;

  constructor(options: SystemEventsOptions) {
    this.#options = options;
  }

  /** Resolves once the event is committed. */
  async add(event: NewSystemEvent): Promise<AddedEvent> {
    const { intake, pendingEvents, waker, clock, random } = this.#options;
    const { agentId, text, untrusted = [], kind, wake, eventId = `event:${random.uuid()}` } = event;
    const beats = this.#heartbeatSession(agentId);
    const sessionKey = normalizeSessionKey(event.sessionKey ?? beats.sessionKey);
    if (pendingEvents.isFull(sessionKey))
      return {
        type: "refused",
        message: `Too many events wait for the next turn of ${sessionKey}. Say something there, or wake the heartbeat.`,
      };
    const { inputId } = await intake.submit(
      {
        origin: sessionOrigin(sessionKey),
        eventId,
        messageId: messageId(eventId),
        timestampMs: clock.now(),
        event: { type: "message" },
        sender: GATEWAY_SENDER,
        text,
        mentionsBot: true,
        attachments: [],
        ...(untrusted.length === 0 ? {} : { untrusted }),
      },
      {
        owner: true,
        kind,
        sessionKey,
        agentId,
        isEvent: true,
        ...(untrusted.length === 0 ? {} : { tainted: true }),
        ...withoutUndefined({ bodyDigest: event.bodyDigest, madeBy: event.madeBy }),
      },
    );
    const added = { type: "added", sessionKey, inputId } as const;
    if (wake === "next-heartbeat") return added;
    if (!beats.isOn)
      return { ...added, note: `The agent ${agentId} has no heartbeat to wake: the next turn of the session shows the event.` };
    if (sessionKey !== beats.sessionKey)
      return { ...added, note: `The heartbeat of ${agentId} runs in ${beats.sessionKey}: the next turn of ${sessionKey} shows the event.` };
    waker.wake(agentId);
    return added;
  }

  #heartbeatSession(agentId: string): { readonly sessionKey: string; readonly isOn: boolean } {
    const { agents, config } = this.#options.running;
    const { mainKey } = config.session;
    const heartbeat = agents.get(agentId)?.config.heartbeat ?? "off";
    if (heartbeat === "off") return { sessionKey: agentSessionKey(agentId, mainKey), isOn: false };
    return { sessionKey: heartbeatSession(agentId, heartbeat, mainKey), isOn: config.cron.enabled };
  }
}
