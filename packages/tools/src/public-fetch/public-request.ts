import type { IncomingMessage } from "node:http";
import type { Clock } from "@factotum/agent-contract";
import { NO_PRIVATE_PLACES, type AllowsPrivate } from "./private-places.ts";
import { readBody } from "./read-body.ts";
import { resolveTarget, type ResolveOptions } from "./resolve-target.ts";
import { sendRequest } from "./send-request.ts";

/** The dependencies of a request; all but the clock have real defaults. */
export interface PublicRequestOptions extends ResolveOptions {
  readonly clock: Pick<Clock, "schedule">;
  /** Sends a request to a checked address. */
  readonly send?: typeof sendRequest;
}

/** One request, redirects included. */
export interface PublicRequest {
  readonly url: string;
  readonly signal: AbortSignal;
  /** Of the decompressed body; the rest is not read. */
  readonly maxBytes: number;
  /** For the whole request, in milliseconds. */
  readonly timeoutMs: number;
  /** Default GET. Only a GET follows redirects. */
  readonly method?: "GET" | "POST";
  /** In addition to the common ones. They are left out once a redirect leaves the origin. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Private places that are open to this request. None by default. */
  readonly allowsPrivate?: AllowsPrivate;
  /** Whether an address may be requested, asked for redirects, too. All public ones by default. */
  readonly allows?: (url: URL) => boolean;
  /** A body that breaks off or stalls counts as far as it came. Not by default. */
  readonly keepsPart?: boolean;
  /** Whether the body is read. Always by default. */
  readonly readsBody?: (head: ResponseHead) => boolean;
}

/** The head of the final answer. */
export interface ResponseHead {
  /** After redirects. */
  readonly url: string;
  readonly status: number;
  /** Empty if the server names none. */
  readonly contentType: string;
  /** As the server announces it, possibly compressed. */
  readonly sizeBytes: number | undefined;
}

/** Why there is no answer. `not-allowed`: the address may not be fetched. `unavailable`: nothing usable came. */
export interface RequestRefused {
  readonly type: "refused";
  readonly reason: "not-allowed" | "unavailable";
  readonly message: string;
  /** The address is private: `allowsPrivate` can open it. */
  readonly isPrivate?: true;
  /** True if no request was sent, so that the message holds nothing of a server. */
  readonly isUnsent?: true;
}

/** The answer of a server, whatever its status. */
export type PublicResponse =
  | {
      readonly type: "response";
      readonly head: ResponseHead;
      /** Absent if `readsBody` declined it. */
      readonly bytes: Uint8Array | undefined;
      /** The body is longer than `maxBytes`. */
      readonly isCut: boolean;
      /** Why the rest of the body did not come; with `keepsPart` only. */
      readonly brokenOff?: string;
    }
  | RequestRefused;

/** Sends requests to public addresses. Never rejects. */
export type PublicRequester = (request: PublicRequest) => Promise<PublicResponse>;

const MAX_REDIRECTS = 5;

/**
 * Creates the requester for addresses that others may have chosen (R22): a name is resolved once, every one of its addresses must be public or opened by
 * `allowsPrivate`, and the connection goes to the address that was checked; every redirect is checked in the same way. Sends no cookie and no data of this
 * machine.
 */
export function createPublicRequester(options: PublicRequestOptions): PublicRequester {
  return async (request) => {
    const limit = new AbortController();
    using _timer = options.clock.schedule(request.timeoutMs, () => limit.abort(new Error("it took too long")));
    const signal = AbortSignal.any([request.signal, limit.signal]);
    try {
      let step: Step = { url: request.url, headers: request.headers ?? {} };
      for (let hops = 0; hops <= MAX_REDIRECTS; hops += 1) {
        const answer = await requestOnce(step, { ...request, signal }, options);
        // The end of the body is late; its caller no longer waits.
        if (answer.type === "response" && request.signal.aborted) return refused("unavailable", "it was ended");
        if (answer.type === "response" && answer.brokenOff !== undefined && limit.signal.aborted)
          return { ...answer, brokenOff: "it took too long" };
        // A redirect names its address, so only the first one is the caller's own.
        if (answer.type === "unsent") return { ...answer.refused, ...(hops === 0 && { isUnsent: true }) };
        if (answer.type !== "redirect") return answer;
        step = answer.step;
      }
      return refused("unavailable", `more than ${MAX_REDIRECTS} redirects`);
    } catch (error) {
      if (limit.signal.aborted) return refused("unavailable", "it took too long");
      if (request.signal.aborted) return refused("unavailable", "it was ended");
      return refused("unavailable", error instanceof Error ? error.message : "the connection failed");
    }
  };
}

interface Step {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

type Answer =
  | PublicResponse
  | { readonly type: "redirect"; readonly step: Step }
  | { readonly type: "unsent"; readonly refused: RequestRefused };

async function requestOnce(step: Step, request: PublicRequest, options: PublicRequestOptions): Promise<Answer> {
  const { signal, method = "GET", body, allowsPrivate = NO_PRIVATE_PLACES, readsBody = () => true, maxBytes } = request;
  const { send = sendRequest } = options;
  const target = await resolveTarget(step.url, { allowsPrivate, signal }, options);
  if (target.type === "refused") return { type: "unsent", refused: target };
  const { url, at } = target;
  if (request.allows?.(url) === false) return { type: "unsent", refused: refused("not-allowed", `${url.host} may not be requested here`) };
  const response = await send(url, at, { method, headers: step.headers, body, signal });
  // An error after the body was declined or cut has no effect.
  response.on("error", () => {});
  try {
    const redirect = redirectOf(response, url, method);
    if (redirect !== undefined)
      return redirect.type === "redirect" ? { type: "redirect", step: nextStep(step, url, redirect.to) } : redirect;
    const head = headOf(response, url);
    if (!readsBody(head)) return { type: "response", head, bytes: undefined, isCut: false };
    const read = await readBody(response, { maxBytes, keepsPart: request.keepsPart }, options);
    if (read.type === "unreadable") return refused("unavailable", read.message);
    return { ...read, type: "response", head };
  } finally {
    response.destroy();
  }
}

function redirectOf(
  { statusCode = 0, headers }: IncomingMessage,
  url: URL,
  method: string,
): RequestRefused | { readonly type: "redirect"; readonly to: URL } | undefined {
  if (statusCode < 300 || statusCode >= 400 || headers.location === undefined) return undefined;
  if (method !== "GET") return refused("unavailable", "the server redirects the request to another address");
  const to = URL.parse(headers.location, url.href);
  if (to === null) return refused("unavailable", "the redirect leads nowhere");
  if (url.protocol === "https:" && to.protocol === "http:") return refused("not-allowed", "a redirect leads to an unprotected address");
  return { type: "redirect", to };
}

/** What the caller sends is for the origin that it named. */
function nextStep({ headers }: Step, from: URL, to: URL): Step {
  return { url: to.href, headers: to.origin === from.origin ? headers : {} };
}

function headOf({ statusCode = 0, headers }: IncomingMessage, url: URL): ResponseHead {
  const length = headers["content-length"];
  return {
    url: url.href,
    status: statusCode,
    contentType: headers["content-type"] ?? "",
    sizeBytes: length === undefined || !/^\d{1,15}$/.test(length) ? undefined : Number(length),
  };
}

function refused(reason: RequestRefused["reason"], message: string): RequestRefused {
  return { type: "refused", reason, message };
}
