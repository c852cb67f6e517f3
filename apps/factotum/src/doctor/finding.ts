/** One thing that doctor looked at. */
export interface Finding {
  /** What was looked at; stable, for programs. */
  readonly check: string;
  /** `error`: it does not work. `warning`: it works, and should be changed. */
  readonly level: "ok" | "warning" | "error";
  readonly message: string;
  /** What to do. */
  readonly fix?: string;
  /** Does it, for `--fix`: only where nothing can be lost by it. */
  readonly repair?: () => Promise<void>;
}

/** Something that is as it should be. */
export function ok(check: string, message: string): Finding {
  return { check, level: "ok", message };
}
