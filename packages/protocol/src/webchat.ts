/** What a person typed into a WebChat window. The gateway has authenticated the connection before it hands this over. */
export interface WebchatInput {
  readonly sessionKey: string;
  readonly text: string;
  /** The client's own id of the message: the same one is said once. */
  readonly idempotencyKey: string;
  /** Name of the client, such as `control-ui`. */
  readonly clientName: string;
  /** When the gateway got it, milliseconds since the epoch; the channel's own clock counts when it is left out. */
  readonly receivedAtMs?: number;
}

/** What the WebChat channel shows in a session. */
export type WebchatDelivery =
  | { readonly type: "text"; readonly sessionKey: string; readonly idempotencyKey: string; readonly text: string }
  | {
      readonly type: "edit";
      readonly sessionKey: string;
      readonly idempotencyKey: string;
      readonly targetId: string;
      readonly text: string;
    };

/** The gateway's own socket, as the WebChat channel sees it: what an SDK is to the other channels. */
export interface WebchatSocket {
  /** Hands every input to `handler`, one handler at a time; the input is acknowledged when it resolves. Disposing stops it. */
  listen(handler: (input: WebchatInput) => Promise<"accepted" | "duplicate">): Disposable;
  /** Shows a delivery and resolves with the id of its entry; the same `idempotencyKey` is shown once. Rejects when it could not be stored. */
  deliver(delivery: WebchatDelivery, options: { readonly signal: AbortSignal }): Promise<{ readonly entryId: string }>;
}
