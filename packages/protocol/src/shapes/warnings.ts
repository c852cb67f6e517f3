import * as z from "zod";
import { parserOf } from "../parser-of.ts";

/** What a warning is about, for clients that say it in their own words. */
export type WarningCode =
  | "channel-failed"
  | "channel-disconnected"
  | "channel-degraded"
  | "messages-late"
  | "pairing"
  | "run-failed"
  | "restart-needed"
  | "file-unused"
  | "tools-unusable"
  | "agent-unusable";

/** A condition of the gateway that its owner should know and can act on. It disappears once the condition ends. */
export interface GatewayWarning {
  /** The subject: `config`, `restart`, `storage`, `damage`, `channel:<channel>/<accountId>`, `sharing:<sessionKey>`, `pairing:<code>`, or `run:<agentId>`. One per subject at a time. */
  readonly id: string;
  /** `error`: something does not work. `warning`: it works, but not as it should. */
  readonly level: "warning" | "error";
  readonly text: string;
  /** What to do, unless the text says it. */
  readonly fix?: string;
  /** The same as data: what it is about, and the names and reasons in it; `session`: the key of the conversation that it happened in. Absent for a condition that has its text alone. */
  readonly facts?: { readonly code: WarningCode; readonly values: Readonly<Record<string, string>> };
}

/** Parses warnings. */
export const GatewayWarningsSchema: z.ZodType<readonly GatewayWarning[]> = parserOf<readonly GatewayWarning[]>()(() =>
  z.array(
    z.strictObject({
      id: z.string(),
      level: z.enum(["warning", "error"]),
      text: z.string(),
      fix: z.string().optional(),
      facts: z
        .strictObject({
          code: z.enum([
            "channel-failed",
            "channel-disconnected",
            "channel-degraded",
            "messages-late",
            "pairing",
            "run-failed",
            "restart-needed",
            "file-unused",
            "tools-unusable",
            "agent-unusable",
          ]),
          values: z.record(z.string(), z.string()),
        })
        .optional(),
    }),
  ),
);
