import * as z from "zod";

/** The account as its platform knows it, the permissions that it lacks, why messages do not arrive, and settings there that people should know of. */
export interface ChannelProbe {
  readonly account: { readonly id: string; readonly name?: string };
  readonly missingPermissions: readonly string[];
  readonly problems?: readonly string[];
  readonly notes?: readonly string[];
}

/** One step of a login, to be shown to the owner. */
export type ChannelLoginStep =
  | { readonly type: "text" | "done"; readonly text: string }
  /** `content` is what the code encodes. */
  | { readonly type: "qr"; readonly content: string; readonly text: string }
  | { readonly type: "link"; readonly url: string; readonly text: string }
  | { readonly type: "ask"; readonly text: string; readonly isSecret: boolean }
  /** The next step has not come yet. */
  | { readonly type: "waiting" };

/** Parses a probe. */
export const ChannelProbeSchema: z.ZodType<ChannelProbe> = z.lazy(() =>
  z.strictObject({
    account: z.strictObject({ id: z.string(), name: z.string().optional() }),
    missingPermissions: z.array(z.string()),
    problems: z.array(z.string()).optional(),
    notes: z.array(z.string()).optional(),
  }),
) as unknown as z.ZodType<ChannelProbe>;

/** Parses a step of a login. */
export const ChannelLoginStepSchema: z.ZodType<ChannelLoginStep> = z.lazy(() =>
  z.discriminatedUnion("type", [
    z.strictObject({ type: z.enum(["text", "done"]), text: z.string() }),
    z.strictObject({ type: z.literal("qr"), content: z.string(), text: z.string() }),
    z.strictObject({ type: z.literal("link"), url: z.string(), text: z.string() }),
    z.strictObject({ type: z.literal("ask"), text: z.string(), isSecret: z.boolean() }),
    z.strictObject({ type: z.literal("waiting") }),
  ]),
) as unknown as z.ZodType<ChannelLoginStep>;
