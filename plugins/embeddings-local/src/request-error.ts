/** A request that cannot be answered. The gateway reads `status` as in an answer by HTTP. */
export class RequestError extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.name = "RequestError";
    this.status = status;
  }
}
