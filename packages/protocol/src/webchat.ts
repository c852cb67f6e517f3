/** A file that a client has uploaded with `POST uploads`, over HTTP and not the socket: a frame is too small for it. */
export interface ChatAttachment {
  /** As returned by the gateway. */
  readonly ref: string;
  /** As returned by the gateway; an image without it. */
  readonly kind?: "image" | "audio" | "video" | "file" | undefined;
  /** Its original file name. */
  readonly fileName?: string | undefined;
}

/** Maximum per message. */
export const MAX_CHAT_ATTACHMENTS = 20;
/** Maximum size of one file, in bytes. */
export const MAX_UPLOAD_BYTES = 20_000_000;

const RETRY = "~retry-";
/** Longest idempotency key. */
const MAX_KEY_LENGTH = 200;

/** The idempotency key of another attempt at a failed message; the model and the page show the text of the attempts once. `id` is unique. */
export function retryKey(failed: string, id: string): string {
  const key = `${retriedKey(failed) ?? failed}${RETRY}${id}`;
  return key.length > MAX_KEY_LENGTH ? id : key;
}

/** The key of the first attempt at a message; `undefined` if the key is not that of a retry. */
export function retriedKey(key: string): string | undefined {
  const at = key.lastIndexOf(RETRY);
  return at > 0 ? key.slice(0, at) : undefined;
}

/** A message typed into a WebChat window. The gateway has authenticated the connection before it passes this on. */
export interface WebchatInput {
  readonly sessionKey: string;
  /** Empty if there are only attachments. */
  readonly text: string;
  /** In the order of sending. */
  readonly attachments?: readonly ChatAttachment[];
  /** The client's own id of the message, for deduplication. */
  readonly idempotencyKey: string;
  /** Name of the client, such as `control-ui`. */
  readonly clientName: string;
  /** When the gateway received it, milliseconds since the epoch; defaults to the channel's own clock. */
  readonly receivedAtMs?: number;
}

/** What the WebChat channel shows in a session. */
export interface WebchatDelivery {
  readonly type: "text";
  readonly sessionKey: string;
  readonly idempotencyKey: string;
  readonly text: string;
}

/** The gateway's own socket, as the WebChat channel sees it: the counterpart of an SDK in other channels. */
export interface WebchatSocket {
  /** Passes every input to `handler`, one at a time; the input is acknowledged when it resolves. Disposing stops it. */
  listen(handler: (input: WebchatInput) => Promise<"accepted" | "duplicate">): Disposable;
  /** The bytes of an attachment of an input; `undefined` if it no longer exists. */
  readUpload(ref: string): Promise<Uint8Array | undefined>;
  /** Shows a delivery and resolves with the id of its entry; deduplicated by `idempotencyKey`. Rejects if it could not be stored. */
  deliver(delivery: WebchatDelivery, options: { readonly signal: AbortSignal }): Promise<{ readonly entryId: string }>;
}
