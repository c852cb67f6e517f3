import type { MessagesConfig } from "@factotum/config";
import type { SessionOverrides } from "@factotum/store";

/** What happens to messages that arrive while their session is busy. */
export interface QueueSettings {
  readonly mode: MessagesConfig["queue"]["mode"];
  /** `collect`: milliseconds without a new message before the gathered messages are answered. */
  readonly debounceMs: number;
  /** Maximum messages waiting in a session. */
  readonly cap: number;
  readonly drop: MessagesConfig["queue"]["drop"];
}

/** The modes, the default first. */
export const QUEUE_MODES: readonly QueueSettings["mode"][] = ["steer", "followup", "collect", "interrupt"];

/** What happens to messages over the cap, the default first. */
export const DROP_POLICIES: readonly QueueSettings["drop"][] = ["summarize", "old", "new"];

/** The effective queue settings of a message: the session's override, else the channel's, else the configured ones. Pure. */
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
