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
  readonly type: "route" | "acp";
  readonly acp?: { readonly agent: string } | undefined;
}

/** Parses one binding. */
export const BindingSchema: z.ZodType<BindingConfig> = z.lazy(() =>
  z.strictObject({
    agentId: IdSchema.describe("Agent that gets what matches. The most specific binding counts."),
    match: z
      .strictObject({
        channel: TextSchema.describe("Id of a channel."),
        accountId: TextSchema.optional().describe("Account of the channel; `*` for every one. Unset: `default`."),
        peer: z
          .strictObject({
            kind: z.enum(["direct", "group", "channel"]).describe("Kind of conversation."),
            id: PlatformIdSchema.describe("Id of the person or the conversation; `*` for every one of that kind."),
          })
          .optional()
          .describe("One person or conversation."),
        guildId: PlatformIdSchema.optional().describe("Id of a server, on platforms that have servers."),
        roles: z.array(PlatformIdSchema).min(1).optional().describe("Roles on that server, of which the sender has one."),
        teamId: PlatformIdSchema.optional().describe("Id of a team, on platforms that have teams."),
      })
      .describe("What a message must be from; everything that is given must match."),
    session: z
      .strictObject({
        dmScope: DmScopeSchema.optional().describe("Which of the matching direct conversations share a session. Unset: `session.dmScope`."),
      })
      .prefault({})
      .describe("Sessions of the messages that match."),
    type: z
      .enum(["route", "acp"])
      .default("route")
      .describe("`acp`: an external agent answers what matches, in sessions of `agentId`, whose tools and rules hold for it."),
    acp: z
      .strictObject({ agent: IdSchema.describe("Id of the agent in `acp.agents`.") })
      .optional()
      .describe("With the type `acp`: which external agent."),
  }),
);
