import * as z from "zod";
import { parserOf } from "../parser-of.ts";

/** The result of checking the configuration file. */
export interface ConfigReloadResult {
  /** `applied`: it runs now. `unchanged`: it ran already. `kept`: it is unusable, and the previous one continues to run. */
  readonly type: "applied" | "unchanged" | "kept";
  /** Keys that differ from the previous configuration. */
  readonly changed: readonly string[];
  /** Keys that take effect only after a restart. */
  readonly needsRestart: readonly string[];
  /** Why the previous one is kept; else warnings. */
  readonly problems: readonly string[];
}

/** Parses the answer to `config.reload`. */
export const ConfigReloadResultSchema: z.ZodType<ConfigReloadResult> = parserOf<ConfigReloadResult>()(() =>
  z.strictObject({
    type: z.enum(["applied", "unchanged", "kept"]),
    changed: z.array(z.string()),
    needsRestart: z.array(z.string()),
    problems: z.array(z.string()),
  }),
);
