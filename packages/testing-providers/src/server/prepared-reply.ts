/** A reply rendered once, for benchmarks: sent as it is, whatever the request says. */
export interface PreparedReply {
  readonly stream: Buffer;
  readonly whole: Buffer;
}
