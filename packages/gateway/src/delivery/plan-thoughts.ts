import type { NewOutbound, TurnRecord } from "@factotum/store";
import type { ChannelRegistry } from "../channels/channel-registry.ts";
import { planChatMessage } from "./plan-message.ts";

/** Identity and due time of a thoughts message. */
export interface ThoughtsOptions {
  /** Distinguishes the messages of one turn, stable across restarts. */
  readonly key: string | number;
  readonly nowMs: number;
  readonly suppressed: boolean;
}

/**
 * Plans the model's thoughts as a message apart from the reply: quoted under a heading. None for the gateway's own clients, which show them from the
 * transcript.
 */
export function planThoughts(
  turn: TurnRecord,
  thoughts: string,
  options: ThoughtsOptions,
  { channels }: { readonly channels: ChannelRegistry },
): readonly NewOutbound[] {
  if (thoughts.trim() === "") return [];
  const quoted = thoughts
    .trim()
    .split("\n")
    .map((line) => `> ${line}`.trimEnd());
  return planChatMessage(
    {
      sessionKey: turn.sessionKey,
      target: turn.origin,
      text: ["_Thoughts_", "", ...quoted].join("\n"),
      purpose: "notice",
      identity: ["turn", turn.id, "thoughts", options.key],
      nowMs: options.nowMs,
      suppressed: options.suppressed,
    },
    channels,
  );
}
