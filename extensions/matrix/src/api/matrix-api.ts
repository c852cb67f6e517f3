import { EventEmitter } from "node:events";
import type { CallOptions, ChannelHost } from "@factotum/channel-contract";
import { createHttpClient, createSdkFetch, parseJson, PlatformFailure, platformFailureIn } from "@factotum/channel-kit";
import type { HttpAnswer } from "@factotum/channel-kit";
import * as z from "zod";
import type { MatrixConfig } from "../config.ts";
import { isRefusal, notFound, toFailure } from "../errors.ts";
import { loadSdk } from "./load-sdk.ts";
import type { Sdk } from "./load-sdk.ts";

/** One request of the client-server API. */
interface MatrixRequest {
  readonly method: "GET" | "POST" | "PUT";
  /** Below the prefix, each part encoded; see `pathOf`. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: object;
  /** `/_matrix/client/v3` by default. */
  readonly prefix?: string;
}

/** One account's access to its homeserver. Every call rejects with a PlatformFailure. */
export interface MatrixApi {
  /** Sends a request and resolves with the JSON of the response. It is not repeated. `what` names it in messages of failures. */
  call(
    what: string,
    request: MatrixRequest,
    options: CallOptions & { readonly timeoutMs?: number; readonly maxBytes?: number },
  ): Promise<unknown>;
  /** Uploads a file and resolves with its address (`mxc:`). */
  upload(file: { readonly bytes: Uint8Array; readonly name: string; readonly mimeType: string }, options: CallOptions): Promise<string>;
  /** Downloads a file by its address (`mxc:`). */
  download(address: string, options: CallOptions & { readonly maxBytes: number }): Promise<HttpAnswer>;
}

const CLIENT_PREFIX = "/_matrix/client/v3";
/** A large file on a slow line. */
const FILE_TIMEOUT_MS = 120_000;
const MXC = /^mxc:\/\/([A-Za-z0-9.:[\]-]{1,255})\/([A-Za-z0-9_-]{1,255})$/;

const UploadSchema = z.looseObject({ content_uri: z.string().regex(MXC) });

/** Joins the parts of a path, encoded. */
export function pathOf(...parts: readonly string[]): string {
  return `/${parts.map(encodeURIComponent).join("/")}`;
}

/** True for the address of a file on a homeserver. */
export function isMxc(address: string): boolean {
  return MXC.test(address);
}

/** Creates the access of one account; the SDK is loaded with the first call. */
export function createMatrixApi({ homeserver, accessToken }: MatrixConfig, host: Pick<ChannelHost, "fetch" | "clock">): MatrixApi {
  const http = createHttpClient(host, { platform: "The homeserver" });
  const baseUrl = homeserver.replace(/\/+$/, "");
  let loading: Promise<Sdk> | undefined;
  const sdk = async (): Promise<Sdk> => {
    loading ??= loadSdk().catch((cause: unknown) => {
      loading = undefined;
      throw new PlatformFailure({ type: "local" }, "the SDK could not be loaded", { cause });
    });
    return loading;
  };

  const request: MatrixApi["call"] = async (what, { method, path, query, body, prefix = CLIENT_PREFIX }, options) => {
    const { MatrixHttpApi, Method } = await sdk();
    let failure: unknown;
    const limited = createSdkFetch(http, {
      ...options,
      inspect(answer) {
        if (answer.status < 200 || answer.status > 299) throw toFailure(what, answer);
      },
    });
    // The SDK's error for a failed connection does not keep its cause.
    const fetchFn: typeof fetch = async (...input) =>
      limited(...input).catch((error: unknown) => {
        failure = error;
        throw error;
      });
    const api = new MatrixHttpApi(new EventEmitter() as never, { baseUrl, prefix: CLIENT_PREFIX, accessToken, onlyData: true, fetchFn });
    const methods = { GET: Method.Get, POST: Method.Post, PUT: Method.Put };
    try {
      return await api.authedRequest<unknown>(methods[method], path, { ...query }, body, { prefix, priority: "auto" });
    } catch (error) {
      const own = platformFailureIn(failure);
      if (own !== undefined) throw own;
      if (error instanceof SyntaxError) throw new PlatformFailure({ type: "no-answer" }, `${what}: the answer is not the platform's JSON`);
      throw new PlatformFailure({ type: "local" }, `${what} could not be requested`, { cause: withoutPayload(error) });
    }
  };

  const authorized = async (
    path: string,
    init: RequestInit,
    options: CallOptions & { readonly maxBytes?: number },
  ): Promise<HttpAnswer> => {
    const headers = { ...(init.headers as Record<string, string> | undefined), authorization: `Bearer ${accessToken}` };
    return http(`${baseUrl}${path}`, { ...init, headers }, { ...options, timeoutMs: FILE_TIMEOUT_MS });
  };

  return {
    call: request,
    async upload({ bytes, name, mimeType }, options) {
      const path = `/_matrix/media/v3/upload?filename=${encodeURIComponent(name)}`;
      const init = { method: "POST", headers: { "content-type": mimeType }, body: new Uint8Array(bytes) };
      const answer = await authorized(path, init, options);
      if (answer.status !== 200) throw toFailure("the upload", answer);
      const parsed = UploadSchema.safeParse(parseJson(answer.bytes));
      if (!parsed.success) throw new PlatformFailure({ type: "no-answer" }, "the upload: the answer names no address");
      return parsed.data.content_uri;
    },
    async download(address, options) {
      const [, server, media] = MXC.exec(address) ?? [];
      if (server === undefined || media === undefined) throw notFound("this is not the address of a file");
      const file = pathOf(server, media);
      const answer = await authorized(`/_matrix/client/v1/media/download${file}`, {}, options);
      if (answer.status === 200) return answer;
      const failure = toFailure("the file", answer);
      // A homeserver from before authenticated media.
      if (!isRefusal(failure, "M_UNRECOGNIZED") && !(failure.reason.type === "http" && failure.reason.status === 404)) throw failure;
      const old = await authorized(`/_matrix/media/v3/download${file}`, {}, options);
      if (old.status !== 200) throw toFailure("the file", old);
      return old;
    },
  };
}

/** Errors of the SDK can have parts of the request, which are texts of messages. */
function withoutPayload(error: unknown): Error {
  return new Error(error instanceof Error ? error.name : "unknown");
}
