import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";

/** A request for media, parsed. */
export interface MediaRequest {
  /** Without the version. */
  readonly path: string;
  readonly authorization: string | undefined;
  /** Fields of a form or of a JSON body; files are not among them. */
  readonly fields: Readonly<Record<string, unknown>>;
  readonly files: readonly { readonly field: string; readonly name: string; readonly mimeType: string; readonly bytes: Uint8Array }[];
}

/** An answer: JSON, bytes of a type, or none at all. */
export type MediaReply =
  | { readonly type: "json"; readonly status?: number; readonly body: unknown }
  | { readonly type: "bytes"; readonly mimeType: string; readonly bytes: Uint8Array }
  | { readonly type: "page"; readonly status?: number; readonly html: string }
  | { readonly type: "silence" };

/** A server of OpenAI's endpoints for media, on loopback. */
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

/** The fields that the vendor requires, by path. */
const REQUIRED: Readonly<Record<string, readonly string[]>> = {
  "/audio/transcriptions": ["model"],
  "/audio/speech": ["model", "input", "voice"],
  "/images/generations": ["model", "prompt"],
  "/images/edits": ["model", "prompt"],
};

/** Serves transcription, speech and images in OpenAI's wire format; refuses unknown paths, other keys and incomplete requests as the vendor does. */
export async function startMediaServer({ key }: { readonly key: string }): Promise<MediaServer> {
  const requests: MediaRequest[] = [];
  const waiting: (() => void)[] = [];
  let answer: (request: MediaRequest) => MediaReply = () => refusal(500, "this request is not scripted");
  const server = createServer((incoming, response) => {
    void (async () => {
      const path = (incoming.url ?? "").replace(/^\/v1/, "");
      const body = await buffer(incoming);
      const request: MediaRequest = {
        path,
        authorization: incoming.headers.authorization,
        ...(await parseBody(body, incoming.headers["content-type"] ?? "")),
      };
      requests.push(request);
      for (const wake of waiting.splice(0)) wake();
      write(response, check(request, key) ?? answer(request));
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
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

function check({ path, authorization, fields, files }: MediaRequest, key: string): MediaReply | undefined {
  const required = REQUIRED[path];
  if (required === undefined) return refusal(404, `Unknown request URL: POST ${path}.`);
  if (authorization !== `Bearer ${key}`) return refusal(401, "Incorrect API key provided.");
  const missing = required.find((name) => fields[name] === undefined || fields[name] === "");
  if (missing !== undefined) return refusal(400, `Missing required parameter: '${missing}'.`);
  if (path === "/audio/transcriptions" && files.length !== 1) return refusal(400, "Missing required parameter: 'file'.");
  return undefined;
}

function refusal(status: number, message: string): MediaReply {
  return { type: "json", status, body: { error: { message, type: "invalid_request_error", param: null, code: null } } };
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
