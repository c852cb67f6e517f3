/**
 * - `conflict`: the row is not in the state that the change needs. - `not-found`: no such row.
 * - `lost-ownership`: another process has opened the store. - `full`: no space, or read-only. - `damaged`: what was read is not what was written.
 * - `unsupported`: the database is of a newer version, or the loaded SQLite must not be used. - `closed`: after `close`.
 * - `invalid`: an argument that cannot be stored or was never given out by the store; the message says which. - `internal`: anything else.
 */
export type StoreErrorCode =
  | "conflict"
  | "not-found"
  | "lost-ownership"
  | "full"
  | "damaged"
  | "unsupported"
  | "closed"
  | "invalid"
  | "internal";

const brand: unique symbol = Symbol.for("factotum.StoreError");

/** Why a call of the store failed. Nothing of the failed transaction was kept. */
export class StoreError extends Error {
  readonly code: StoreErrorCode;

  constructor(code: StoreErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "StoreError";
    this.code = code;
    Object.defineProperty(this, brand, { value: true });
  }

  /** True for every StoreError, also one of another copy of this package. */
  static isInstance(value: unknown): value is StoreError {
    return typeof value === "object" && value !== null && brand in value;
  }
}
