import * as z from "zod";
import { DmScopeSchema, type DmScope } from "./session.ts";
import { IdSchema, PlatformIdSchema, TextSchema } from "./values.ts";

/** Routes matching messages to one agent. All given fields must match. */
export interface BindingConfig {
  readonly agentId: string;
  readonly match: {
    readonly channel: string;
    /** Absent: the account `default`. `*`: every account. */
    readonly accountId?: string | undefined;
    /** `*` as id: every conversation of that kind. */
    readonly peer?: { readonly kind: "direct" | "group" | "channel"; readonly id: string } | undefined;
    readonly guildId?: string | undefined;
    readonly roles?: readonly string[] | undefined;
    readonly teamId?: string | undefined;
  };
  readonly session: { readonly dmScope?: DmScope | undefined };
}

/** Parses one binding. */
export const BindingSchema: z.ZodType<BindingConfig> = z.strictObject({
  agentId: IdSchema,
  match: z.strictObject({
    channel: TextSchema,
    accountId: TextSchema.optional(),
    peer: z.strictObject({ kind: z.enum(["direct", "group", "channel"]), id: PlatformIdSchema }).optional(),
    guildId: PlatformIdSchema.optional(),
    roles: z.array(PlatformIdSchema).min(1).optional(),
    teamId: PlatformIdSchema.optional(),
  }),
  session: z.strictObject({ dmScope: DmScopeSchema.optional() }).prefault({}),
});
