import type { CallOptions, ChannelHost } from "@factotum/channel-contract";
import { createHttpClient, createSdkFetch, parseJson, PlatformFailure, platformFailureIn } from "@factotum/channel-kit";
import type { HttpAnswer } from "@factotum/channel-kit";
import type { InputFile } from "grammy";
import * as z from "zod";
import type { TelegramConfig } from "../config.ts";
import { TelegramRefusal } from "../errors.ts";
import { loadSdk } from "./load-sdk.ts";
import type { Sdk } from "./load-sdk.ts";

/** One account's access to the platform. Every call rejects with a PlatformFailure. */
export interface TelegramApi {
  /** Calls a method of the Bot API and resolves with its result. It is not repeated. */
  call(
    method: string,
    parameters: Readonly<Record<string, unknown>>,
    options: CallOptions & { readonly timeoutMs?: number },
  ): Promise<unknown>;
  /** Bytes as a parameter of a call. */
  file(bytes: Uint8Array, name: string): Promise<InputFile>;
  /** Downloads a file by the path that the platform has named. */
  download(path: string, options: CallOptions & { readonly maxBytes: number }): Promise<HttpAnswer>;
}

const PLATFORM = "https://api.telegram.org";
/** A large file on a slow line. */
export const FILE_TIMEOUT_MS = 120_000;

const AnswerSchema = z.discriminatedUnion("ok", [
  z.looseObject({ ok: z.literal(true) }),
  z.looseObject({
    ok: z.literal(false),
    error_code: z.number().int().default(400),
    description: z.string().default(""),
    parameters: z.looseObject({ retry_after: z.number().optional(), migrate_to_chat_id: z.number().optional() }).optional(),
  }),
]);

/** Methods without parameters take a signal in their place. */
type RawCall = (payload?: Readonly<Record<string, unknown>>) => Promise<unknown>;

/** Creates the access of one account; the SDK is loaded with the first call. */
export function createTelegramApi({ token, baseUrl }: TelegramConfig, host: Pick<ChannelHost, "fetch" | "clock">): TelegramApi {
  const http = createHttpClient(host, { platform: "Telegram" });
  const apiRoot = (baseUrl ?? PLATFORM).replace(/\/+$/, "");
  let loading: Promise<Sdk> | undefined;
  const sdk = async (): Promise<Sdk> => {
    loading ??= loadSdk().catch((cause: unknown) => {
      loading = undefined;
      throw new PlatformFailure({ type: "local" }, "the SDK could not be loaded", { cause });
    });
    return loading;
  };

  return {
    async call(method, parameters, options) {
      const { Api } = await sdk();
      // Its own timeout uses no injected clock: that of its `fetch` ends each call.
      const sdkFetch = createSdkFetch(http, { ...options, inspect: checked(method) });
      const { raw } = new Api(token, { apiRoot, fetch: sdkFetch });
      const call = (raw as unknown as Readonly<Record<string, RawCall>>)[method];
      if (call === undefined) throw new PlatformFailure({ type: "local" }, `there is no method ${method}`);
      return call(...(Object.keys(parameters).length === 0 ? [] : [parameters])).catch((error: unknown) => {
        throw (
          platformFailureIn(error) ??
          new PlatformFailure({ type: "local" }, `${method} could not be called`, { cause: withoutPayload(error) })
        );
      });
    },
    async file(bytes, name) {
      const { InputFile: File } = await sdk();
      // The SDK writes the name as it is; in quotes any character but these can be in it.
      return new File(bytes, `"${name.replaceAll(/["\\\r\n]/g, "_")}"`);
    },
    async download(path, options) {
      // A server that was started with `--local` names a path of its own disk.
      if (path.startsWith("/") || path.includes("..") || URL.canParse(path))
        throw new PlatformFailure(
          { type: "refused", code: "forbidden" },
          "the Bot API server names no address of the file: start it without --local",
        );
      const address = `${apiRoot}/file/bot${token}/${path.split("/").map(encodeURIComponent).join("/")}`;
      const answer = await http(address, {}, { ...options, timeoutMs: FILE_TIMEOUT_MS });
      if (answer.status !== 200) throw refusedDownload(answer.status);
      return answer;
    },
  };
}

/** Throws what the SDK would wrap in an error with the request's parameters. */
function checked(method: string): (answer: HttpAnswer) => void {
  return ({ status, bytes }) => {
    const parsed = AnswerSchema.safeParse(parseJson(bytes));
    if (!parsed.success) {
      if (status === 200) throw new PlatformFailure({ type: "no-answer" }, "the answer is not the platform's JSON");
      throw new PlatformFailure({ type: "http", status }, `HTTP ${status}`);
    }
    if (parsed.data.ok) return;
    const { error_code: code, description, parameters } = parsed.data;
    throw new TelegramRefusal({
      method,
      status: code,
      description,
      retryAfterMs: parameters?.retry_after === undefined ? undefined : Math.ceil(parameters.retry_after * 1_000),
      migratedTo: parameters?.migrate_to_chat_id === undefined ? undefined : String(parameters.migrate_to_chat_id),
    });
  };
}

function refusedDownload(status: number): PlatformFailure {
  if (status === 404) return new PlatformFailure({ type: "refused", code: "not-found" }, "the file is not there any more");
  return new PlatformFailure({ type: "http", status }, `HTTP ${status}`);
}

/** Errors of the SDK have the parameters of the request, which are texts of messages. */
function withoutPayload(error: unknown): Error {
  return new Error(error instanceof Error ? error.name : "unknown");
}
