/** How a message request goes wrong. */
export type FeishuFault =
  /** The platform's no; nothing was taken. */
  | {
      readonly type: "refuse";
      readonly status: number;
      readonly code: number;
      readonly message: string;
      readonly headers?: Readonly<Record<string, string>>;
    }
  /** The message is taken, and the connection breaks before the answer. */
  | { readonly type: "accept-then-drop" }
  /** The connection breaks, nothing was taken. */
  | { readonly type: "drop" }
  /** The message is taken, and the answer waits until `release`. */
  | { readonly type: "hold" }
  /** An answer of 200 that is no JSON; the message is taken. */
  | { readonly type: "garbage" }
  /** A page of a proxy; nothing was taken. */
  | { readonly type: "proxy-error"; readonly status: number };
