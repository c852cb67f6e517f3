import type { AuthProvider, FetchLike, SSEClientTransport, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import type { RemoteServer } from "./server-settings.ts";

/** Bytes of one answer; of a stream, without an event in between. */
const MAX_ANSWER_BYTES = 12_000_000;
const END_OF_EVENT = /\r?\n\r?\n/;
/** Maximum bytes of all streams since the last answer to a request; several answers may be on their way. */
const MAX_UNASKED_BYTES = 50_000_000;

/** Limits what a server streams without answering a request. */
export class StreamBudget {
  #bytes = 0;
  #why: string | undefined;
  /** Called once, when the limit is passed. */
  onFlood: () => void = () => undefined;

  /** Why the connection has to end; `undefined` within the limit. */
  get endedBecause(): string | undefined {
    return this.#why;
  }

  /** A request was answered. */
  answered(): void {
    this.#bytes = 0;
  }

  take(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes <= MAX_UNASKED_BYTES || this.#why !== undefined) return;
    this.#why = "it floods the gateway with output that nothing asked for";
    this.onFlood();
  }
}

/** The part of the SDK that speaks HTTP. */
export interface HttpTransports {
  readonly StreamableHTTPClientTransport: typeof StreamableHTTPClientTransport;
  readonly SSEClientTransport: typeof SSEClientTransport;
}

/**
 * Makes the transport of a server at an address. Redirects are followed within its origin alone, so that headers go nowhere else; private addresses are reached,
 * because the owner has configured the address.
 */
export function createHttpTransport(
  { StreamableHTTPClientTransport: Streamable, SSEClientTransport: Sse }: HttpTransports,
  { url, transport }: Pick<RemoteServer, "url" | "transport">,
  {
    fetch,
    headers,
    authProvider,
    budget = new StreamBudget(),
  }: {
    readonly budget?: StreamBudget;
    readonly fetch: FetchLike;
    readonly headers: Readonly<Record<string, string>>;
    readonly authProvider?: AuthProvider;
  },
): StreamableHTTPClientTransport | SSEClientTransport {
  const options = {
    fetch: limited(fetch, budget),
    requestInit: { headers },
    redirectPolicy: "same-origin" as const,
    ...(authProvider === undefined ? {} : { authProvider }),
  };
  return transport === "sse" ? new Sse(new URL(url), options) : new Streamable(new URL(url), options);
}

/** The same, with a limit on what an answer holds. */
function limited(fetch: FetchLike, budget: StreamBudget): FetchLike {
  return async (url, init) => {
    const response = await fetch(url, init);
    if (response.body === null) return response;
    let bytes = 0;
    const decoder = new TextDecoder("latin1");
    const isStream = response.headers.get("content-type")?.includes("text/event-stream") === true;
    const limit = new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        bytes = isStream && END_OF_EVENT.test(decoder.decode(chunk)) ? 0 : bytes + chunk.length;
        if (isStream) budget.take(chunk.length);
        if (bytes > MAX_ANSWER_BYTES) controller.error(new Error(`an answer of more than ${MAX_ANSWER_BYTES / 1_000_000} MB`));
        else controller.enqueue(chunk);
      },
    });
    const { status, statusText, headers } = response;
    return new Response(response.body.pipeThrough(limit), { status, statusText, headers });
  };
}
