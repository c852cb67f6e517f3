/** A reply rendered once, for benchmarks: sent regardless of the request. */
export interface PreparedReply {
  readonly stream: Buffer;
  readonly whole: Buffer;
}
