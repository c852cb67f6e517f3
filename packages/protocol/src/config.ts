import * as z from "zod";
import { parserOf } from "./parser-of.ts";

/** What became of a look at the configuration file. */
export interface ConfigReloadResult {
  /** `applied`: it runs now. `unchanged`: it ran already. `kept`: it cannot be used, and what ran before goes on. */
  readonly type: "applied" | "unchanged" | "kept";
  /** Keys that differ from what ran before. */
  readonly changed: readonly string[];
  /** Keys that only a restart takes up. */
  readonly needsRestart: readonly string[];
  /** Why it is kept; else warnings. */
  readonly problems: readonly string[];
}

/** Parses the answer to `config.reload`. */
export const ConfigReloadResultSchema: z.ZodType<ConfigReloadResult> = parserOf<ConfigReloadResult>()(
  z.strictObject({
    type: z.enum(["applied", "unchanged", "kept"]),
    changed: z.array(z.string()),
    needsRestart: z.array(z.string()),
    problems: z.array(z.string()),
  }),
);
