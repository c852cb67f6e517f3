/** A refusal with the platform's code. */
export class FeishuRefusal extends Error {
  readonly status: number;
  readonly code: number;
  /** Scopes of which one is missing. */
  readonly scopes: readonly string[];

  constructor(code: number, message: string, status = 400, scopes: readonly string[] = []) {
    super(message);
    this.name = "FeishuRefusal";
    this.code = code;
    this.status = status;
    this.scopes = scopes;
  }
}
