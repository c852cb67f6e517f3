import type { API } from "@discordjs/core/http-only";
import type { REST, RESTOptions } from "@discordjs/rest";
import type { CallOptions, ChannelHost } from "@factotum/channel-contract";
import { createHttpClient, createSdkFetch, parseJson, PlatformFailure, platformFailureIn, retryAfterMs } from "@factotum/channel-kit";
import type { HttpAnswer } from "@factotum/channel-kit";
import type { DiscordConfig } from "../config.ts";
import { toFailure } from "../errors.ts";
import { loadSdk } from "./load-sdk.ts";

/** One request by the official library. `options` go to its last parameter. */
type DiscordRequest<T> = (api: API, options: { readonly signal: AbortSignal }) => Promise<T>;

/** One account's access to the platform. Every call rejects with a PlatformFailure. */
export interface DiscordApi {
  /** Makes one request with the account's token. It is not repeated. */
  call<T>(what: string, request: DiscordRequest<T>, options: CallOptions): Promise<T>;
  /** Downloads a file from the platform's hosts, without the token. */
  download(url: string, options: CallOptions & { readonly maxBytes: number }): Promise<HttpAnswer>;
  /** The address of a gateway, if the token may be sent there. Throws otherwise. */
  checkGateway(url: string): string;
  /** Ends the timers of the library. */
  close(): void;
}

const PLATFORM = "https://discord.com";
/** A large file on a slow line. */
const FILE_TIMEOUT_MS = 120_000;
/** The library's own limit: longer than those of the requests, which tell silence from a refusal. */
const LIBRARY_TIMEOUT_MS = 10 * 60_000;
const VERSION = "10";

/** Creates the access of one account; the libraries are loaded with the first call. */
export function createDiscordApi(config: DiscordConfig, host: Pick<ChannelHost, "fetch" | "clock">, { signal }: CallOptions): DiscordApi {
  const http = createHttpClient(host, { platform: "Discord" });
  const origin = (config.baseUrl ?? PLATFORM).replace(/\/+$/, "");
  let loading: Promise<{ readonly api: API; readonly rest: REST }> | undefined;
  let open: REST | undefined;
  const load = async (): Promise<{ readonly api: API; readonly rest: REST }> => {
    const { API: Api, REST: Rest } = await loadSdk();
    const quick = createSdkFetch(http, { signal, inspect: checkAnswer });
    const slow = createSdkFetch(http, { signal, inspect: checkAnswer, timeoutMs: FILE_TIMEOUT_MS });
    const rest = new Rest({
      version: VERSION,
      api: `${origin}/api`,
      retries: 0,
      timeout: LIBRARY_TIMEOUT_MS,
      offset: 0,
      // A limit that is known beforehand is a receipt with its delay, as one that the platform states.
      rejectOnRateLimit: () => true,
      makeRequest: (async (url: string, init: RequestInit) =>
        (init.body instanceof FormData ? slow : quick)(url, init)) as unknown as RESTOptions["makeRequest"],
    }).setToken(config.token);
    open = rest;
    return { api: new Api(rest), rest };
  };
  const sdk = async (): Promise<{ readonly api: API }> => {
    loading ??= load().catch((cause: unknown) => {
      loading = undefined;
      throw new PlatformFailure({ type: "local" }, "the library could not be loaded", { cause });
    });
    return loading;
  };

  return {
    async call(what, request, options) {
      if (options.signal.aborted) throw ended(options.signal);
      const { api } = await sdk();
      return request(api, { signal: options.signal }).catch((error: unknown) => {
        throw toCallFailure(what, error, options.signal);
      });
    },
    async download(url, options) {
      if (!isOfFiles(url, origin))
        throw new PlatformFailure({ type: "refused", code: "50001", status: 403 }, "the file is on another host");
      const answer = await http(url, {}, { ...options, timeoutMs: FILE_TIMEOUT_MS });
      if (answer.status < 200 || answer.status >= 300)
        throw new PlatformFailure({ type: "http", status: answer.status }, `HTTP ${answer.status}`);
      return answer;
    },
    checkGateway(url) {
      if (!isOfGateway(url, config.baseUrl)) throw new PlatformFailure({ type: "local" }, "the platform names a gateway on another host");
      return url;
    },
    close() {
      open?.clearHashSweeper();
      open?.clearHandlerSweeper();
    },
  };
}

/** Throws what the library would treat as its own failure, or repeat. */
function checkAnswer({ status, headers, bytes }: HttpAnswer): void {
  if (status < 400) return;
  throw toFailure("the request", { status, body: parseJson(bytes), retryAfterMs: retryAfterMs(headers) });
}

function toCallFailure(what: string, error: unknown, signal: AbortSignal): PlatformFailure {
  const failure = platformFailureIn(error);
  if (failure !== undefined) return new PlatformFailure(failure.reason, failure.message.replace("the request", what), { cause: failure });
  // The library queues requests of one bucket: what ends there has not left.
  if (signal.aborted) return ended(signal);
  if (error instanceof Error && "retryAfter" in error && typeof error.retryAfter === "number")
    return toFailure(what, { status: 429, body: undefined, retryAfterMs: Math.max(0, Math.ceil(error.retryAfter)) });
  return new PlatformFailure({ type: "local" }, `${what} could not be done`, { cause: error });
}

function ended({ reason }: AbortSignal): PlatformFailure {
  return new PlatformFailure({ type: "not-sent" }, "the call was ended before it left", { cause: reason });
}

/** True for an address of the platform's files, or of the server configured in its place. */
function isOfFiles(address: string, origin: string): boolean {
  if (!URL.canParse(address)) return false;
  const url = new URL(address);
  if (url.origin === new URL(origin).origin) return true;
  return url.protocol === "https:" && ["cdn.discordapp.com", "media.discordapp.net"].includes(url.hostname);
}

/** True for a gateway of the platform, or of the server configured in its place. The token is sent nowhere else. */
function isOfGateway(address: string, baseUrl: string | undefined): boolean {
  if (!URL.canParse(address)) return false;
  const { protocol, hostname } = new URL(address);
  if (baseUrl !== undefined) {
    const own = new URL(baseUrl).hostname;
    return /^wss?:$/.test(protocol) && (hostname === own || (isLoopback(hostname) && isLoopback(own)));
  }
  return protocol === "wss:" && /(?:^|\.)discord\.gg$/.test(hostname);
}

function isLoopback(hostname: string): boolean {
  return ["localhost", "127.0.0.1", "[::1]"].includes(hostname);
}
