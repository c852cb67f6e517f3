/**
 * - `conflict`: the row is not in the state that the change needs. - `not-found`: the row does not exist.
 * - `lost-ownership`: another process has opened the store. - `full`: no space, or read-only. - `damaged`: stored data failed verification.
 * - `unsupported`: the database is of a newer version, or the loaded SQLite must not be used. - `closed`: after `close`.
 * - `invalid`: an argument that cannot be stored or that the store never issued; the message says which. - `internal`: anything else.
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

/** Why a call of the store failed. The failed transaction was rolled back. */
export class StoreError extends Error {
  readonly code: StoreErrorCode;

  constructor(code: StoreErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "StoreError";
    this.code = code;
    Object.defineProperty(this, brand, { value: true });
  }

  /** True for every StoreError, including those of another copy of this package. */
  static isInstance(value: unknown): value is StoreError {
    return typeof value === "object" && value !== null && brand in value;
  }
}
