/** A server of chat completions: the product, the floor or the peer. */
export interface Side {
  readonly name: string;
  /** Base address, without a path. */
  readonly url: string;
  /** The root of the measured process tree. */
  readonly pid: number;
  /** Headers of a request in a session. */
  readonly headers: (session: string) => Readonly<Record<string, string>>;
  readonly model: string;
}
