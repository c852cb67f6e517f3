/** One thing that doctor looked at. */
export interface Finding {
  /** What was looked at; stable, for programs. */
  readonly check: string;
  /** `error`: it does not work. `warning`: it works, and should be changed. */
  readonly level: "ok" | "warning" | "error";
  readonly message: string;
  /** What to do. */
  readonly fix?: string;
}

/** Something that is as it should be. */
export function ok(check: string, message: string): Finding {
  return { check, level: "ok", message };
}
