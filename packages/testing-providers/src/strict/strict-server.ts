import type { ServerControls } from "../server/strict-engine.ts";
import type { ScriptedReply } from "./scripted-reply.ts";
import type { WireFormatName } from "./wire.ts";

/** A strict local server of any wire format, scripted with format-neutral replies. */
export interface StrictServer extends ServerControls<ScriptedReply> {
  readonly format: WireFormatName;
}

/** Options of every strict server. */
export interface StrictServerOptions {
  /** The only accepted key; any by default. */
  readonly apiKey?: string;
  /** Milliseconds since the epoch; default `Date.now`. Decides when cache entries expire. */
  readonly now?: () => number;
  /** Replaces the smallest prompt that is cached; 0 caches every prompt. */
  readonly minCacheTokens?: number;
  /** Root of a server that answers valid requests without a script or responder. */
  readonly upstream?: string;
}
