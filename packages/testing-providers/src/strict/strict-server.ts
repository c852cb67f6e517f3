import type { ServerControls } from "../server/strict-engine.ts";
import type { ScriptedReply } from "./scripted-reply.ts";
import type { WireFormatName } from "./wire.ts";

/** A strict local server of any wire format, scripted with replies that say nothing of the format. */
export interface StrictServer extends ServerControls<ScriptedReply> {
  readonly format: WireFormatName;
}

/** What every strict server takes. */
export interface StrictServerOptions {
  /** The only key that is accepted; by default any. */
  readonly apiKey?: string;
  /** Milliseconds since the epoch; default `Date.now`. Decides when cache entries expire. */
  readonly now?: () => number;
  /** Replaces the smallest prompt that is cached; 0 caches every prompt. */
  readonly minCacheTokens?: number;
  /** Root of a server that answers what neither script nor responder does, once it has broken no rule. */
  readonly upstream?: string;
}
