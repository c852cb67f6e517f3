import type { FromPlugin, ToPlugin } from "./child/messages.ts";

/** The two ways between the host and a running plugin. */
export interface PluginChannel {
  /** False if it can take nothing more: it has ended, or does not read. */
  send(message: ToPlugin): boolean;
  /** Called with each message, in order. Set once, at once. */
  onMessage: (message: FromPlugin) => void;
  /** Resolves with why it has ended, when nothing of it runs. Never rejects. */
  readonly ended: Promise<string>;
  /** Ends it. Idempotent. */
  end(why: string): void;
}
