import { HOOKS, type HookName } from "@factotum/plugin";
import * as z from "zod";
import { NamesSchema } from "./values.ts";

/** A command that can deny an action with exit code 2. Refused until hooks are implemented. */
export interface CommandHook {
  readonly event: HookName;
  /** Unset: every occasion. */
  readonly match: { readonly tools?: readonly string[] | undefined; readonly agents?: readonly string[] | undefined };
  readonly command: readonly string[];
  readonly timeoutSeconds: number;
}

const HOOK_NAMES = Object.keys(HOOKS) as [HookName, ...HookName[]];
/** Hooks whose payload names a tool. */
const TOOL_HOOKS: readonly HookName[] = ["before_tool_call", "after_tool_call"];
/** Hooks without an agent. */
const PLACELESS_HOOKS: readonly HookName[] = ["message_sending", "message_sent", "gateway_start", "gateway_stop"];

/** Parses one of `commandHooks`. */
export const CommandHookSchema: z.ZodType<CommandHook> = z.lazy(() =>
  z
    .strictObject({
      event: z.enum(HOOK_NAMES).describe("The hook at which the command is run."),
      match: z
        .strictObject({
          tools: NamesSchema.min(1).optional().describe("Names, patterns and groups of tools; for the two hooks of tool calls."),
          agents: NamesSchema.min(1).optional().describe("Ids of agents; not for hooks of messages on their way and of the gateway."),
        })
        .prefault({})
        .describe("On which occasions it is run. Unset: on every one."),
      command: NamesSchema.min(1).describe(
        "Program and arguments. It gets the occasion as JSON on standard input; exit code 0 lets it go on, 2 denies it with the output as the reason.",
      ),
      timeoutSeconds: z.number().positive().max(60).default(10).describe("How long it may take. A late one denies what can be denied."),
    })
    .refine(({ event, match }) => match.tools === undefined || TOOL_HOOKS.includes(event), {
      path: ["match", "tools"],
      message: `only ${TOOL_HOOKS.join(" and ")} have a tool`,
    })
    .refine(({ event, match }) => match.agents === undefined || !PLACELESS_HOOKS.includes(event), {
      path: ["match", "agents"],
      message: `${PLACELESS_HOOKS.join(", ")} have no agent`,
    }),
);
