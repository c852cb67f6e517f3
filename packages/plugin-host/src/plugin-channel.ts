import type { FromPlugin, ToPlugin } from "./child/messages.ts";

/** The two ways between the host and a running plugin. */
export interface PluginChannel {
  /** `full`: it does not read what it is sent. What is sent to one that has ended is lost; `ended` says why. */
  send(message: ToPlugin): "sent" | "full";
  /** Called with each message, in order. Set once, at once. */
  onMessage: (message: FromPlugin) => void;
  /** Resolves with why it has ended, when nothing of it runs. Never rejects. */
  readonly ended: Promise<string>;
  /** Ends it. Idempotent. */
  end(why: string): void;
}
