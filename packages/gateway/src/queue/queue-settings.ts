import type { MessagesConfig } from "@factotum/config";
import type { SessionOverrides } from "@factotum/store";

/** What happens to messages that come while their session is busy. */
export interface QueueSettings {
  readonly mode: MessagesConfig["queue"]["mode"];
  /** `collect`: how long nothing more may come before what was gathered is begun. */
  readonly debounceMs: number;
  /** Messages that may wait in a session. */
  readonly cap: number;
  readonly drop: MessagesConfig["queue"]["drop"];
}

/** The modes, the default first. */
export const QUEUE_MODES: readonly QueueSettings["mode"][] = ["steer", "followup", "collect", "interrupt"];

/** What can be done when too many messages wait, the default first. */
export const DROP_POLICIES: readonly QueueSettings["drop"][] = ["summarize", "old", "new"];

/** What holds for a message: the conversation's own choice, else the channel's, else the configured one. Pure. */
export function resolveQueueSettings(
  config: MessagesConfig["queue"],
  message: { readonly channel: string; readonly override: SessionOverrides["queue"] },
): QueueSettings {
  const { override = {} } = message;
  const ofChannel = Object.hasOwn(config.byChannel, message.channel) ? config.byChannel[message.channel] : undefined;
  return {
    mode: override.mode ?? ofChannel ?? config.mode,
    debounceMs: override.debounceMs ?? config.debounceMs,
    cap: override.cap ?? config.cap,
    drop: override.drop ?? config.drop,
  };
}
