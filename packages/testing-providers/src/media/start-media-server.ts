import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { checkGoogleMedia } from "./google-media-rules.ts";
import type { MediaReply, MediaRequest } from "./media-request.ts";
import { checkOpenAiMedia, openAiRefusal } from "./openai-media-rules.ts";

/** Whose wire format a server of media speaks. */
export type MediaWire = "openai" | "google";

/** A server of a vendor's endpoints for media, on loopback. */
export interface MediaServer extends AsyncDisposable {
  /** With the version. */
  readonly baseUrl: string;
  /** Oldest first. */
  readonly requests: readonly MediaRequest[];
  /** Answers the following requests. */
  respond(answer: (request: MediaRequest) => MediaReply): void;
  /** Resolves once this many requests have arrived. */
  arrived(count: number): Promise<void>;
}

const WIRES: Readonly<Record<MediaWire, { readonly version: string; readonly check: typeof checkOpenAiMedia }>> = {
  openai: { version: "/v1", check: checkOpenAiMedia },
  google: { version: "/v1beta", check: checkGoogleMedia },
};

/**
 * Serves transcription, speech, embeddings and images in OpenAI's wire format, or images in Google's; refuses unknown paths, other keys, and requests that the vendor does
 * not take, with the vendor's own bodies.
 */
export async function startMediaServer({
  key,
  wire = "openai",
}: {
  readonly key: string;
  readonly wire?: MediaWire;
}): Promise<MediaServer> {
  const { version, check } = WIRES[wire];
  const requests: MediaRequest[] = [];
  const waiting: (() => void)[] = [];
  let answer: (request: MediaRequest) => MediaReply = () => openAiRefusal(500, "this request is not scripted");
  const server = createServer((incoming, response) => {
    void (async () => {
      const path = (incoming.url ?? "").replace(version, "");
      const body = await buffer(incoming);
      const request: MediaRequest = {
        path,
        authorization: wire === "google" ? one(incoming.headers["x-goog-api-key"]) : incoming.headers.authorization,
        ...(await parseBody(body, incoming.headers["content-type"] ?? "")),
      };
      requests.push(request);
      for (const wake of waiting.splice(0)) wake();
      write(response, check(request, key) ?? answer(request));
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}${version}`,
    requests,
    respond: (next) => {
      answer = next;
    },
    arrived: async (count) => {
      while (requests.length < count) await new Promise<void>((resolve) => waiting.push(resolve));
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

async function parseBody(body: Buffer, contentType: string): Promise<Pick<MediaRequest, "fields" | "files">> {
  if (contentType.startsWith("application/json"))
    return { fields: JSON.parse(body.toString("utf8")) as Record<string, unknown>, files: [] };
  if (!contentType.startsWith("multipart/form-data")) return { fields: {}, files: [] };
  const form = await new Response(new Uint8Array(body), { headers: { "content-type": contentType } }).formData();
  const fields: Record<string, unknown> = {};
  const files: MediaRequest["files"][number][] = [];
  for (const [field, value] of form) {
    if (typeof value === "string") fields[field] = value;
    else files.push({ field, name: value.name, mimeType: value.type, bytes: new Uint8Array(await value.arrayBuffer()) });
  }
  return { fields, files };
}

function one(header: string | readonly string[] | undefined): string | undefined {
  return typeof header === "string" ? header : header?.[0];
}

function write(response: ServerResponse, reply: MediaReply): void {
  switch (reply.type) {
    case "json":
      response.writeHead(reply.status ?? 200, { "content-type": "application/json" }).end(JSON.stringify(reply.body));
      return;
    case "bytes":
      response.writeHead(200, { "content-type": reply.mimeType }).end(reply.bytes);
      return;
    case "page":
      response.writeHead(reply.status ?? 200, { "content-type": "text/html; charset=utf-8" }).end(reply.html);
      return;
    case "silence":
  }
}
