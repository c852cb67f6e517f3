import * as z from "zod";
import { parserOf } from "../parser-of.ts";

/** A condition of the gateway that its owner should know and can act on. It disappears once the condition ends. */
export interface GatewayWarning {
  /** The subject: `config`, `restart`, `storage`, `damage`, `channel:<channel>/<accountId>`, `sharing:<sessionKey>`, `pairing:<code>`, or `run:<agentId>`. One per subject at a time. */
  readonly id: string;
  /** `error`: something does not work. `warning`: it works, but not as it should. */
  readonly level: "warning" | "error";
  readonly text: string;
  /** What to do, unless the text says it. */
  readonly fix?: string;
}

/** Parses warnings. */
export const GatewayWarningsSchema: z.ZodType<readonly GatewayWarning[]> = parserOf<readonly GatewayWarning[]>()(() =>
  z.array(z.strictObject({ id: z.string(), level: z.enum(["warning", "error"]), text: z.string(), fix: z.string().optional() })),
);
