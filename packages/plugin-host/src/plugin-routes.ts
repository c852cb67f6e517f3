import { PLUGIN_LIMITS, type PluginRouteRequest } from "@factotum/plugin";
import { nameOf, type HostedPlugin } from "./hosted-plugin.ts";
import type { DeclaredRoute, PluginHostOptions } from "./installed-plugin.ts";
import { PluginError } from "./plugin-error.ts";

/** Bytes of one request, and of all that a plugin has not answered: fewer than may wait in its pipe, where its other calls need room, too. */
const MAX_REQUEST_BYTES = 512 * 1024;
const MAX_OPEN_BYTES = 768 * 1024;
/** Seconds after which a request may be sent again. */
const SOON_SECONDS = 1;
const AFTER_REST_SECONDS = 60;

/** The answer to a request, or why it has no answer. */
type HostedRouteAnswer =
  | { readonly type: "answer"; readonly status: number; readonly headers: Readonly<Record<string, string>>; readonly body: string }
  /** The owner finds the reason in the log and the status. */
  | { readonly type: "failed" | "late" | "too-large" }
  | { readonly type: "busy"; readonly retryAfterSeconds: number };

/** A route of a plugin that is used. */
export interface HostedRoute extends DeclaredRoute {
  /** Answers a request within 30 s and the time of a start. Never rejects. After the signal it settles when the plugin has ended its work. */
  answer(request: PluginRouteRequest, options: { readonly signal: AbortSignal }): Promise<HostedRouteAnswer>;
}

/** The routes of one plugin. */
export class PluginRoutes {
  readonly #plugin: HostedPlugin;
  readonly #options: Pick<PluginHostOptions, "clock" | "hideSecrets">;
  #openBytes = 0;

  constructor(plugin: HostedPlugin, options: Pick<PluginHostOptions, "clock" | "hideSecrets">) {
    this.#plugin = plugin;
    this.#options = options;
  }

  list(): readonly HostedRoute[] {
    return this.#plugin.plugin.routes.map((route) => ({
      ...route,
      answer: async (request, { signal }) => this.#answer(nameOf(route), request, signal),
    }));
  }

  async #answer(name: string, request: PluginRouteRequest, signal: AbortSignal): Promise<HostedRouteAnswer> {
    const bytes = Buffer.byteLength(JSON.stringify(request));
    if (bytes > MAX_REQUEST_BYTES) return { type: "too-large" };
    if (this.#openBytes + bytes > MAX_OPEN_BYTES) return { type: "busy", retryAfterSeconds: SOON_SECONDS };
    this.#openBytes += bytes;
    const { clock, hideSecrets } = this.#options;
    const timeoutMs = PLUGIN_LIMITS.routeMs;
    const late = new AbortController();
    using _deadline = clock.schedule(timeoutMs, () => late.abort());
    try {
      const value = await this.#plugin.call(
        { type: "route", name, request },
        // A client that leaves must not make room for the next one while the plugin still works.
        { timeoutMs, signal: AbortSignal.any([signal, late.signal]), awaitsEnd: true, isOwnFailure: false },
      );
      const answer = toAnswer(value, hideSecrets);
      if (answer !== undefined) return answer;
      this.#plugin.report(`its answer to ${name} is not that of a route`);
      return { type: "failed" };
    } catch (error) {
      return this.#failure(error, { signal, late: late.signal });
    } finally {
      this.#openBytes -= bytes;
    }
  }

  #failure(error: unknown, { signal, late }: { readonly signal: AbortSignal; readonly late: AbortSignal }): HostedRouteAnswer {
    const code = PluginError.isInstance(error) ? error.code : "failed";
    // A handler that was told to stop may well reject.
    if (code === "failed" && !signal.aborted) this.#plugin.report(error instanceof Error ? error.message : "it failed");
    if (code === "busy") return { type: "busy", retryAfterSeconds: SOON_SECONDS };
    if (code === "resting") return { type: "busy", retryAfterSeconds: AFTER_REST_SECONDS };
    return { type: code === "timeout" || late.aborted ? "late" : "failed" };
  }
}

function toAnswer(value: unknown, hideSecrets: (text: string) => string): HostedRouteAnswer | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const { status = 200, headers = {}, body = "" } = value as Readonly<Record<string, unknown>>;
  const isStatus = typeof status === "number" && Number.isInteger(status) && status >= 200 && status <= 599;
  if (!isStatus || typeof body !== "string" || !isTexts(headers)) return undefined;
  const shown = Object.entries(headers).map(([name, text]) => [name.toLowerCase(), hideSecrets(text)] as const);
  return { type: "answer", status, headers: Object.fromEntries(shown), body: hideSecrets(body) };
}

function isTexts(value: unknown): value is Readonly<Record<string, string>> {
  return typeof value === "object" && value !== null && Object.values(value).every((one) => typeof one === "string");
}
