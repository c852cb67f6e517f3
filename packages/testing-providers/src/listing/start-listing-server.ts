import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { json as readJson } from "node:stream/consumers";

/** A provider on loopback that knows one key. */
export interface ListingServer extends AsyncDisposable {
  /** Without a version. */
  readonly url: string;
  /** Requested paths, in order. */
  readonly paths: readonly string[];
}

/** The provider to simulate. */
export interface ListingServerOptions {
  /** The accepted key, in the header of Anthropic's, Google's or OpenAI's API. */
  readonly key: string;
  readonly models: readonly string[];
  /** The answer to messages. */
  readonly answer?: string;
  /** Listed models whose messages are refused as unknown; none by default. */
  readonly retired?: readonly string[];
  /** Default: a free one. */
  readonly port?: number;
}

/**
 * Serves the requests of setup: the free list of models, OpenRouter's description of the key, and answers on OpenAI's chat endpoint and on Anthropic's. Other
 * keys are refused like the vendors do.
 */
export async function startListingServer(options: ListingServerOptions): Promise<ListingServer> {
  const { key, models, answer = "Good day.", retired = [], port = 0 } = options;
  const paths: string[] = [];
  const server = createServer((request, response) => {
    const { url = "", headers } = request;
    paths.push(url);
    const isKnown = [headers["x-api-key"], headers["x-goog-api-key"], headers.authorization?.replace("Bearer ", "")].includes(key);
    const stream = (body: string): void => void response.writeHead(200, { "content-type": "text/event-stream" }).end(body);
    const json = (status: number, body: unknown): void =>
      void response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    if (!isKnown || request.method === "GET") request.resume();
    if (!isKnown) json(401, { type: "error", error: { type: "authentication_error", message: "invalid x-api-key" } });
    else if (/\/models(?:\?|$)/.test(url)) json(200, { object: "list", data: models.map((id) => ({ id })), has_more: false });
    else if (url.endsWith("/key")) json(200, { data: { label: "test", limit_remaining: null } });
    else if (url.endsWith("/chat/completions") || url.endsWith("/messages"))
      void readJson(request).then((body) => {
        const { model } = body as { readonly model: string };
        if (retired.includes(model)) json(404, { type: "error", error: unknownModel(model) });
        else stream(url.endsWith("/messages") ? messageStream(answer) : chatStream(answer));
      });
    else json(404, { type: "error", error: { type: "not_found_error", message: "no such path" } });
  });
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    paths,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

function unknownModel(model: string): object {
  return { type: "not_found_error", code: "model_not_found", message: `The model ${model} does not exist or you have no access to it.` };
}

function chatStream(text: string): string {
  const chunk = (delta: object, finish: string | null): string =>
    `data: ${JSON.stringify({ id: "chatcmpl-1", object: "chat.completion.chunk", created: 1, model: "m", choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
  return `${chunk({ role: "assistant", content: text }, null)}${chunk({}, "stop")}data: [DONE]\n\n`;
}

function messageStream(text: string): string {
  const usage = { input_tokens: 10, output_tokens: 3 };
  const events = [
    {
      type: "message_start",
      message: { id: "msg_1", type: "message", role: "assistant", model: "m", content: [], stop_reason: null, usage },
    },
    { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
    { type: "content_block_delta", index: 0, delta: { type: "text_delta", text } },
    { type: "content_block_stop", index: 0 },
    { type: "message_delta", delta: { stop_reason: "end_turn", stop_sequence: null }, usage: { output_tokens: 3 } },
    { type: "message_stop" },
  ];
  return events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join("");
}
