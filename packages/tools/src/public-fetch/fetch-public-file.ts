import { lookup as dnsLookup } from "node:dns/promises";
import { request as httpRequest } from "node:http";
import type { IncomingMessage, RequestOptions } from "node:http";
import { request as httpsRequest } from "node:https";
import { isIP } from "node:net";
import type { Clock } from "@factotum/agent-contract";
import { isPublicAddress } from "./public-address.ts";

/** A file from the internet, or why it was not fetched. */
export type PublicFile =
  | { readonly type: "file"; readonly bytes: Uint8Array; /** After redirects. */ readonly url: string }
  | { readonly type: "refused"; readonly reason: "not-allowed" | "too-large" | "unavailable"; readonly message: string };

/** The dependencies of a fetch; all but the clock have real defaults. */
export interface PublicFetchOptions {
  readonly clock: Pick<Clock, "schedule">;
  /** All addresses of a name. */
  readonly lookup?: (host: string) => Promise<readonly { readonly address: string; readonly family: number }[]>;
  /** Which addresses may be connected to. */
  readonly isOpen?: (address: string) => boolean;
}

/** One fetch. */
export interface PublicFetchRequest {
  readonly maxBytes: number;
  readonly signal: AbortSignal;
}

const MAX_REDIRECTS = 5;
/** The whole fetch, redirects included. */
const TOTAL_MS = 60_000;
/** Between two chunks of an answer. */
const IDLE_MS = 15_000;

/**
 * Fetches a file from public addresses only (R22): a name is resolved once, every one of its addresses must be public, and the connection goes to the address
 * that was checked; every redirect is checked in the same way. Sends no credential, no cookie, no data of this machine. Never rejects.
 */
export function createPublicFetch(options: PublicFetchOptions): (url: string, request: PublicFetchRequest) => Promise<PublicFile> {
  return async (url, request) => {
    const limit = new AbortController();
    using _timer = options.clock.schedule(TOTAL_MS, () => limit.abort());
    const signal = AbortSignal.any([request.signal, limit.signal]);
    try {
      let at = url;
      for (let hops = 0; hops <= MAX_REDIRECTS; hops += 1) {
        const answer = await fetchOnce(at, { ...request, signal }, options);
        if (answer.type !== "redirect") return answer;
        at = answer.to;
      }
      return refused("unavailable", `more than ${MAX_REDIRECTS} redirects`);
    } catch (error) {
      return refused("unavailable", signal.aborted ? "it took too long" : error instanceof Error ? error.message : "the connection failed");
    }
  };
}

type Answer = PublicFile | { readonly type: "redirect"; readonly to: string };

async function fetchOnce(text: string, request: PublicFetchRequest, options: PublicFetchOptions): Promise<Answer> {
  const url = URL.parse(text);
  if (url === null || (url.protocol !== "http:" && url.protocol !== "https:"))
    return refused("not-allowed", "only http and https addresses are fetched");
  if (url.username !== "" || url.password !== "") return refused("not-allowed", "an address with a user name or a password is not fetched");
  const found = await resolve(url.hostname, options);
  if (found === undefined) return refused("not-allowed", `${url.hostname} is not on the open internet`);
  const response = await send(url, found, request.signal);
  try {
    return await read(url, response, request, options);
  } finally {
    response.destroy();
  }
}

interface Found {
  readonly address: string;
  readonly family: number;
}

/** The address to connect to; `undefined` if any address of the name is not public. */
async function resolve(hostname: string, { lookup = lookupAll, isOpen = isPublicAddress }: PublicFetchOptions): Promise<Found | undefined> {
  const host = hostname.replace(/^\[(.*)\]$/, "$1");
  const family = isIP(host);
  const all = family === 0 ? await lookup(host) : [{ address: host, family }];
  return all.every(({ address }) => isOpen(address)) ? all[0] : undefined;
}

async function lookupAll(host: string): Promise<readonly Found[]> {
  return dnsLookup(host, { all: true });
}

async function send(url: URL, { address, family }: Found, signal: AbortSignal): Promise<IncomingMessage> {
  const { promise, resolve: answered, reject } = Promise.withResolvers<IncomingMessage>();
  const options: RequestOptions = {
    signal,
    // A new connection: a pooled one may go to another address.
    agent: false,
    headers: { accept: "*/*", "accept-encoding": "identity", "user-agent": "factotum" },
    lookup: (_host, wanted, callback) => {
      if (wanted.all === true) callback(null, [{ address, family }]);
      else callback(null, address, family);
    },
  };
  const request = url.protocol === "https:" ? httpsRequest(url, options) : httpRequest(url, options);
  request.once("response", answered);
  request.once("error", reject);
  request.end();
  return promise;
}

async function read(
  url: URL,
  response: IncomingMessage,
  { maxBytes, signal }: PublicFetchRequest,
  { clock }: PublicFetchOptions,
): Promise<Answer> {
  const { statusCode = 0, headers } = response;
  if (statusCode >= 300 && statusCode < 400 && headers.location !== undefined) {
    const to = URL.parse(headers.location, url.href);
    if (to === null) return refused("unavailable", "the redirect leads nowhere");
    if (url.protocol === "https:" && to.protocol !== "https:") return refused("not-allowed", "a redirect leads to an unprotected address");
    return { type: "redirect", to: to.href };
  }
  if (statusCode !== 200) return refused("unavailable", `the server answered ${statusCode}`);
  if (Number(headers["content-length"] ?? 0) > maxBytes) return tooLarge(maxBytes);
  const parts: Buffer[] = [];
  let sizeBytes = 0;
  const idle = new Idle(response, clock);
  try {
    for await (const part of response as AsyncIterable<Buffer>) {
      if (signal.aborted) return refused("unavailable", "it was ended");
      sizeBytes += part.length;
      if (sizeBytes > maxBytes) return tooLarge(maxBytes);
      parts.push(part);
      idle.again();
    }
  } finally {
    idle.end();
  }
  return { type: "file", bytes: Buffer.concat(parts), url: url.href };
}

/** Ends an answer that has stalled. */
class Idle {
  readonly #response: IncomingMessage;
  readonly #clock: Pick<Clock, "schedule">;
  #timer: Disposable;

  constructor(response: IncomingMessage, clock: Pick<Clock, "schedule">) {
    this.#response = response;
    this.#clock = clock;
    this.#timer = this.#start();
  }

  again(): void {
    this.#timer[Symbol.dispose]();
    this.#timer = this.#start();
  }

  end(): void {
    this.#timer[Symbol.dispose]();
  }

  #start(): Disposable {
    return this.#clock.schedule(IDLE_MS, () => this.#response.destroy(new Error("nothing came any more")));
  }
}

function tooLarge(maxBytes: number): PublicFile {
  return refused("too-large", `it is larger than ${maxBytes} bytes`);
}

function refused(reason: Extract<PublicFile, { type: "refused" }>["reason"], message: string): PublicFile & { readonly type: "refused" } {
  return { type: "refused", reason, message };
}
