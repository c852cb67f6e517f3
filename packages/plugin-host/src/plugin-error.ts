/** Why a plugin did not answer. */
export type PluginErrorCode =
  /** It is not called for a while, because it failed several times in a row. */
  | "resting"
  /** It could not be started. */
  | "not-started"
  /** It was not called: others hold all places, or it has too much to do already. */
  | "busy"
  /** It did not answer within its limit, and was ended. */
  | "timeout"
  /** Its process ended. */
  | "ended"
  /** Its own code failed, or gave back what is no answer. */
  | "failed"
  /** The caller no longer waits. */
  | "aborted";

const brand = Symbol.for("factotum.PluginError");

/** A failure of a plugin. The message completes "the plugin x …" and may hold text of the plugin. */
export class PluginError extends Error {
  readonly code: PluginErrorCode;
  /** The HTTP status that the plugin's own error has. */
  readonly status?: number;

  constructor(code: PluginErrorCode, message: string, options?: ErrorOptions & { readonly status?: number }) {
    super(message, options);
    this.name = "PluginError";
    this.code = code;
    if (options?.status !== undefined) this.status = options.status;
    Object.defineProperty(this, brand, { value: true });
  }

  static isInstance(value: unknown): value is PluginError {
    return typeof value === "object" && value !== null && brand in value;
  }
}
