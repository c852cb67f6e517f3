import * as z from "zod";
import { parserOf } from "./parser-of.ts";

/** Something about the gateway that its owner should know and can do something about. It goes when it is no longer so. */
export interface GatewayWarning {
  /** What it is about: `config`, `restart`, `storage`, `damage`, `channel:<channel>/<accountId>`, or `sharing:<sessionKey>`. One of each at a time. */
  readonly id: string;
  /** `error`: something does not work. `warning`: it works, and not as it should. */
  readonly level: "warning" | "error";
  readonly text: string;
  /** What to do, where the text does not say it. */
  readonly fix?: string;
}

/** Parses warnings. */
export const GatewayWarningsSchema: z.ZodType<readonly GatewayWarning[]> = parserOf<readonly GatewayWarning[]>()(
  z.array(z.strictObject({ id: z.string(), level: z.enum(["warning", "error"]), text: z.string(), fix: z.string().optional() })),
);
