/** An image that a client has handed in with `POST uploads`, over HTTP beside the socket: a frame is too small for it. */
export interface ChatAttachment {
  /** As the gateway answered. */
  readonly ref: string;
  /** As it is called where it comes from. */
  readonly fileName?: string | undefined;
}

/** The most that one message carries. */
export const MAX_CHAT_ATTACHMENTS = 20;
/** Of one image, in bytes. */
export const MAX_UPLOAD_BYTES = 20_000_000;

/** What a person typed into a WebChat window. The gateway has authenticated the connection before it hands this over. */
export interface WebchatInput {
  readonly sessionKey: string;
  /** Empty when there are attachments alone. */
  readonly text: string;
  /** In the order of sending. */
  readonly attachments?: readonly ChatAttachment[];
  /** The client's own id of the message: the same one is said once. */
  readonly idempotencyKey: string;
  /** Name of the client, such as `control-ui`. */
  readonly clientName: string;
  /** When the gateway got it, milliseconds since the epoch; the channel's own clock counts when it is left out. */
  readonly receivedAtMs?: number;
}

/** What the WebChat channel shows in a session. */
export interface WebchatDelivery {
  readonly type: "text";
  readonly sessionKey: string;
  readonly idempotencyKey: string;
  readonly text: string;
}

/** The gateway's own socket, as the WebChat channel sees it: what an SDK is to the other channels. */
export interface WebchatSocket {
  /** Hands every input to `handler`, one handler at a time; the input is acknowledged when it resolves. Disposing stops it. */
  listen(handler: (input: WebchatInput) => Promise<"accepted" | "duplicate">): Disposable;
  /** The bytes of an attachment of an input; `undefined` when it is not there any more. */
  readUpload(ref: string): Promise<Uint8Array | undefined>;
  /** Shows a delivery and resolves with the id of its entry; the same `idempotencyKey` is shown once. Rejects when it could not be stored. */
  deliver(delivery: WebchatDelivery, options: { readonly signal: AbortSignal }): Promise<{ readonly entryId: string }>;
}
