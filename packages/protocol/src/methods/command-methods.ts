import * as z from "zod";
import { CommandSummarySchema, type CommandSummary } from "../shapes/commands.ts";
import { defineMethods, type MethodTable } from "./define-methods.ts";
import { key } from "./params.ts";

/** Methods of slash commands. */
export interface CommandMethods {
  /**
   * The slash commands that the owner can write to an agent: that of the session, else `agentId`, else the default one. Rejects with `not-found` for an unknown
   * agent.
   */
  "commands.list": {
    params: { readonly sessionKey?: string; readonly agentId?: string };
    result: { readonly commands: readonly CommandSummary[] };
  };
}

/** Rows of the command methods. */
export const COMMAND_METHODS: MethodTable<CommandMethods> = defineMethods<CommandMethods>()({
  "commands.list": {
    access: "owner",
    stores: false,
    params: () => z.strictObject({ sessionKey: key.optional(), agentId: key.optional() }),
    result: () => z.strictObject({ commands: z.array(CommandSummarySchema) }),
  },
});
