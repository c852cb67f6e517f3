import type { PluginRouteMethod, PluginRouteRequest } from "@factotum/plugin";

/** The answer of a plugin, or why it has no answer. */
export type RouteAnswer =
  | { readonly type: "answer"; readonly status: number; readonly headers: Readonly<Record<string, string>>; readonly body: string }
  /** `late`: it did not answer in time. `too-large`: the request is longer than it takes. */
  | { readonly type: "failed" | "late" | "too-large" }
  | { readonly type: "busy"; readonly retryAfterSeconds: number };

/** A route that a plugin serves below `/plugins/<id>`. */
export interface PluginRoute {
  readonly method: PluginRouteMethod;
  /** `/report`, or `/files/*` for everything below `/files/`. */
  readonly path: string;
  /** Everyone may use it, and not the owner alone. */
  readonly public: boolean;
  /** Never rejects. Settles within a limit of time; after the signal once the plugin has ended its work. */
  answer(request: PluginRouteRequest, options: { readonly signal: AbortSignal }): Promise<RouteAnswer>;
}

/** The routes of a plugin as they are now; none for an unknown id. Starts nothing. */
export type PluginRoutesOf = (id: string) => readonly PluginRoute[];
