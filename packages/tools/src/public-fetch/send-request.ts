import { request as httpRequest } from "node:http";
import type { IncomingMessage, RequestOptions } from "node:http";
import { request as httpsRequest } from "node:https";
import type { ResolvedAddress } from "./resolve-target.ts";

/** What is sent, apart from the address. */
export interface RequestContent {
  readonly method: "GET" | "POST";
  /** In addition to the common ones. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
}

/** Sends a request to exactly this address and resolves with the answer's head. Rejects when there is no answer. */
export async function sendRequest(
  url: URL,
  { address, family }: ResolvedAddress,
  { method, headers, body, signal }: RequestContent & { readonly signal: AbortSignal },
): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const options: RequestOptions = {
    method,
    signal,
    // A new connection: a pooled one may go to another address.
    agent: false,
    headers: { accept: "*/*", "accept-encoding": "gzip, deflate, br", "user-agent": "factotum", ...headers },
    lookup: (_host, wanted, callback) => {
      if (wanted.all === true) callback(null, [{ address, family }]);
      else callback(null, address, family);
    },
  };
  const request = url.protocol === "https:" ? httpsRequest(url, options) : httpRequest(url, options);
  request.once("response", resolve);
  // Not once: an abort after the answer is another error.
  request.on("error", reject);
  // A server that switches protocols gives neither an answer nor an error.
  request.once("close", () => reject(new Error("the server closed the connection")));
  request.end(body);
  return promise;
}
