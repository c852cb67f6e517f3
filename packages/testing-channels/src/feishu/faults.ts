/** How a message request fails. */
export type FeishuFault =
  /** The platform refuses; nothing was accepted. */
  | {
      readonly type: "refuse";
      readonly status: number;
      readonly code: number;
      readonly message: string;
      readonly headers?: Readonly<Record<string, string>>;
    }
  /** The message is accepted, and the connection breaks before the answer. */
  | { readonly type: "accept-then-drop" }
  /** The connection breaks, nothing was accepted. */
  | { readonly type: "drop" }
  /** The message is accepted, and the answer waits for `release`. */
  | { readonly type: "hold" }
  /** An answer of 200 that is not JSON; the message is accepted. */
  | { readonly type: "garbage" }
  /** A page of a proxy; nothing was accepted. */
  | { readonly type: "proxy-error"; readonly status: number };
