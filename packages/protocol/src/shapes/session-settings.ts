import * as z from "zod";
import { parserOf } from "../parser-of.ts";

/** All modes of a session. */
export const SESSION_MODE_IDS = ["read-only", "ask", "workspace", "full"] as const;

/** Which tool calls run in a session; `ask`: as configured. */
export type SessionModeId = (typeof SESSION_MODE_IDS)[number];

/** All levels of thinking, lowest first. */
export const THINKING_LEVEL_IDS = ["off", "minimal", "low", "medium", "high", "xhigh", "adaptive", "max"] as const;

/** How much a model thinks. */
export type ThinkingLevelId = (typeof THINKING_LEVEL_IDS)[number];

/** What can be chosen for a session, what is, and the commands that it takes. */
export interface SessionSettings {
  readonly mode: SessionModeId;
  readonly modes: readonly { readonly id: SessionModeId; readonly effect: string }[];
  /** Reference of the model of the next message; absent if it cannot be used. */
  readonly model?: string;
  /** Those that the configuration names, and the one in use. */
  readonly models: readonly { readonly reference: string; readonly alias?: string }[];
  /** Tokens that the model takes; absent without a usable model. */
  readonly contextWindow?: number;
  /** Absent: the model's own. */
  readonly thinking?: ThinkingLevelId;
  /** The levels that the model takes, lowest first. */
  readonly thinkingLevels: readonly ThinkingLevelId[];
  /** Slash commands of the owner, with their skills and own ones; names without the slash. */
  readonly commands: readonly { readonly name: string; readonly summary: string }[];
}

/** Parses settings. */
export const SessionSettingsSchema: z.ZodType<SessionSettings> = parserOf<SessionSettings>()(() =>
  z.strictObject({
    mode: z.enum(SESSION_MODE_IDS),
    modes: z.array(z.strictObject({ id: z.enum(SESSION_MODE_IDS), effect: z.string() })),
    model: z.string().optional(),
    models: z.array(z.strictObject({ reference: z.string(), alias: z.string().optional() })),
    contextWindow: z.number().optional(),
    thinking: z.enum(THINKING_LEVEL_IDS).optional(),
    thinkingLevels: z.array(z.enum(THINKING_LEVEL_IDS)),
    commands: z.array(z.strictObject({ name: z.string(), summary: z.string() })),
  }),
);
