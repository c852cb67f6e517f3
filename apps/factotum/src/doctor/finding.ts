/** The result of one check. */
export interface Finding {
  /** The name of the check; stable, for programs. */
  readonly check: string;
  /** `error`: it does not work. `warning`: it works, but should be changed. */
  readonly level: "ok" | "warning" | "error";
  readonly message: string;
  /** The account of a channel that it is about, as `channel/account`. */
  readonly account?: string;
  /** What to do. */
  readonly fix?: string;
  /** Repairs it, for `--fix`; only if no data can be lost. */
  readonly repair?: () => Promise<void>;
}

/** A check without a problem. */
export function ok(check: string, message: string): Finding {
  return { check, level: "ok", message };
}
