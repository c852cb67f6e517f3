import * as z from "zod";
import { parserOf } from "../parser-of.ts";

const STATES = ["queued", "running", "idle", "done", "failed", "timeout", "killed", "lost"] as const;

/** State of a sub-agent. `queued`, `running` and `idle` (it waits for messages) are open, the others final. */
export type ChatSubagentState = (typeof STATES)[number];

/** The newest thing that a sub-agent did: it called a tool, or wrote a text, which is cut at 200 characters. */
export interface ChatSubagentActivity {
  readonly type: "tool" | "text";
  readonly text: string;
}

/** A sub-agent as clients show it. */
export interface ChatSubagent {
  readonly runId: string;
  /** Its own session. */
  readonly sessionKey: string;
  /** The session that started it. */
  readonly parentKey: string;
  readonly agentId: string;
  /** 1 for a sub-agent of a person's session. */
  readonly depth: number;
  readonly label?: string;
  /** Cut at 300 characters. */
  readonly task: string;
  readonly state: ChatSubagentState;
  /** It stays open after its result. What a person writes in its session is answered there, as in every conversation. */
  readonly isPersistent?: boolean;
  /** Why it did not end as `done`. */
  readonly reason?: string;
  /** Absent while unknown: before its first answer, if none was chosen. */
  readonly model?: string;
  readonly createdAtMs: number;
  readonly endedAtMs?: number;
  /** Without those of its own sub-agents. */
  readonly tokens: number;
  readonly costUsd?: number;
  readonly activity?: ChatSubagentActivity;
}

/** Parses a sub-agent. */
export const ChatSubagentSchema: z.ZodType<ChatSubagent> = parserOf<ChatSubagent>()(() =>
  z.strictObject({
    runId: z.string(),
    sessionKey: z.string(),
    parentKey: z.string(),
    agentId: z.string(),
    depth: z.number(),
    label: z.string().optional(),
    task: z.string(),
    state: z.enum(STATES),
    isPersistent: z.boolean().optional(),
    reason: z.string().optional(),
    model: z.string().optional(),
    createdAtMs: z.number(),
    endedAtMs: z.number().optional(),
    tokens: z.number(),
    costUsd: z.number().optional(),
    activity: z.strictObject({ type: z.enum(["tool", "text"]), text: z.string() }).optional(),
  }),
);
