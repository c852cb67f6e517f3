import type { CallOptions, ChannelHost } from "@factotum/channel-contract";
import { createHttpClient, createSdkFetch, parseJson, PlatformFailure, platformFailureIn, retryAfterMs } from "@factotum/channel-kit";
import type { HttpAnswer } from "@factotum/channel-kit";
import { scopesOf } from "../errors.ts";
import type { Logger, LogLevel } from "@slack/web-api";
import * as z from "zod";
import type { SlackConfig } from "../config.ts";
import { loadSdk } from "./load-sdk.ts";
import type { Sdk } from "./load-sdk.ts";

/** An accepted answer of the platform. */
type SlackAnswer = Readonly<Record<string, unknown>>;

/** One account's access to the platform. Every call rejects with a PlatformFailure. */
export interface SlackApi {
  /** Calls a method of the Web API with the account's bot token, or with `token`. It is not repeated. */
  call(
    method: string,
    parameters: Readonly<Record<string, unknown>>,
    options: CallOptions & { readonly token?: string; readonly timeoutMs?: number },
  ): Promise<SlackAnswer>;
  /** Posts the bytes of a file to the address that the platform has named for it. */
  upload(url: string, bytes: Uint8Array, options: CallOptions): Promise<void>;
  /** Downloads a file with the bot token, from the platform's hosts only. */
  download(url: string, options: CallOptions & { readonly maxBytes: number }): Promise<HttpAnswer>;
  /** Answers a command or an interaction at its response address. */
  respond(url: string, message: Readonly<Record<string, unknown>>, options: CallOptions): Promise<void>;
}

const PLATFORM = "https://slack.com";

/** Hosts of the platform, with all below them; the manifest names the same ones. */
export const HOSTS: readonly string[] = ["slack.com", "slack-files.com"];

/** A large file on a slow line. */
const FILE_TIMEOUT_MS = 120_000;

const AnswerSchema = z.looseObject({ ok: z.boolean() });
const RefusalSchema = z.looseObject({
  error: z.string().regex(/^[\w.-]{1,80}$/),
  needed: z.string().optional(),
  response_metadata: z.looseObject({ messages: z.array(z.string()).optional() }).optional(),
});

/** The SDK's log would contain texts and tokens. */
const SILENT: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  setLevel: () => undefined,
  getLevel: () => "error" as LogLevel,
  setName: () => undefined,
};

/** Creates the access of one account; the SDK is loaded with the first call. */
export function createSlackApi(config: SlackConfig, host: Pick<ChannelHost, "fetch" | "clock">): SlackApi {
  const http = createHttpClient(host, { platform: "Slack" });
  const origin = (config.baseUrl ?? PLATFORM).replace(/\/+$/, "");
  let loading: Promise<Sdk> | undefined;
  const sdk = async (): Promise<Sdk> => {
    loading ??= loadSdk().catch((cause: unknown) => {
      loading = undefined;
      throw new PlatformFailure({ type: "local" }, "the SDK could not be loaded", { cause });
    });
    return loading;
  };

  return {
    async call(method, parameters, { token = config.botToken, ...options }) {
      const { WebClient } = await sdk();
      // The SDK takes no signal for a single call, but its own `fetch` can have one.
      const client = new WebClient(token, {
        slackApiUrl: `${origin}/api/`,
        logger: SILENT,
        retryConfig: { retries: 0 },
        rejectRateLimitedCalls: true,
        allowAbsoluteUrls: false,
        fetch: createSdkFetch(http, { ...options, inspect: checkAnswer }),
      });
      const answer = await client.apiCall(method, { ...parameters }).catch((error: unknown) => {
        throw toSlackFailure(method, error);
      });
      return { ...answer };
    },
    async upload(url, bytes, options) {
      const headers = { "content-type": "application/octet-stream" };
      const body = new Uint8Array(bytes);
      expectOk(await http(url, { method: "POST", headers, body }, { ...options, timeoutMs: FILE_TIMEOUT_MS }));
    },
    async download(url, options) {
      if (!isOfPlatform(url, origin))
        throw new PlatformFailure({ type: "refused", code: "permission_denied" }, "the file is on another host");
      const headers = { authorization: `Bearer ${config.botToken}` };
      const answer = await http(url, { headers }, { ...options, timeoutMs: FILE_TIMEOUT_MS });
      // A redirect leads to the login page.
      if (answer.status >= 300 && answer.status < 400)
        throw new PlatformFailure({ type: "refused", code: "permission_denied" }, "the file cannot be read with the bot token");
      expectOk(answer);
      return answer;
    },
    async respond(url, message, options) {
      if (!isOfPlatform(url, origin)) throw new PlatformFailure({ type: "local" }, "the response address is on another host");
      const headers = { "content-type": "application/json; charset=utf-8" };
      expectOk(await http(url, { method: "POST", headers, body: JSON.stringify(message) }, options));
    },
  };
}

/** True for an address of the platform, or of the server configured in its place. The bot token is sent nowhere else. */
export function isOfPlatform(address: string, origin: string): boolean {
  if (!URL.canParse(address)) return false;
  const url = new URL(address);
  if (url.origin === new URL(origin).origin) return true;
  return url.protocol === "https:" && HOSTS.some((host) => url.hostname === host || url.hostname.endsWith(`.${host}`));
}

/** Throws what the SDK would treat as its own failure, or repeat. */
function checkAnswer({ status, headers, bytes }: HttpAnswer): void {
  if (status === 429) throw limited(headers);
  const answer = AnswerSchema.safeParse(parseJson(bytes));
  if (!answer.success) {
    if (status === 200) throw new PlatformFailure({ type: "no-answer" }, "the answer is not the platform's JSON");
    throw new PlatformFailure({ type: "http", status }, `HTTP ${status}`);
  }
}

function limited(headers: Headers): PlatformFailure {
  const delayMs = retryAfterMs(headers);
  return new PlatformFailure(
    { type: "http", status: 429, ...(delayMs !== undefined && { retryAfterMs: delayMs }) },
    "Slack's rate limit is reached",
  );
}

function toSlackFailure(method: string, error: unknown): PlatformFailure {
  const failure = platformFailureIn(error);
  if (failure !== undefined) return failure;
  const refusal = RefusalSchema.safeParse(error instanceof Error && "data" in error ? error.data : undefined);
  if (!refusal.success) return new PlatformFailure({ type: "local" }, `${method} could not be called`, { cause: error });
  const { error: code, needed, response_metadata: metadata } = refusal.data;
  const details = (metadata?.messages ?? []).map((message) => message.slice(0, 200)).join("; ");
  return new PlatformFailure(
    { type: "refused", code, ...(code === "missing_scope" && { scopes: scopesOf(needed) }) },
    `Slack refused ${method}: ${code}${details === "" ? "" : ` (${details})`}`,
  );
}

function expectOk({ status, headers }: HttpAnswer): void {
  if (status === 429) throw limited(headers);
  if (status < 200 || status >= 300) throw new PlatformFailure({ type: "http", status }, `HTTP ${status}`);
}
