import * as z from "zod";
import { AgentBindingSchema, type AgentBinding } from "../shapes/bindings.ts";
import { defineMethods, type MethodTable } from "./define-methods.ts";
import { empty } from "./params.ts";

/** Methods that show the agents, and which messages are theirs. */
export interface AgentMethods {
  "agents.list": {
    params: Record<string, never>;
    result: {
      readonly agents: readonly {
        readonly id: string;
        readonly name: string;
        /** Shown before the name. */
        readonly emoji?: string;
        readonly isDefault: boolean;
        readonly mainSessionKey: string;
        /** Absolute path of its folder. */
        readonly workspace: string;
        /** The model of its next message in a session without an override; absent if it is unusable. */
        readonly model?: string;
      }[];
      /** Conversations that several agents answer; absent if there are none. */
      readonly broadcast?: {
        readonly strategy: "parallel" | "sequential";
        /** The agents in the order of their answers, by the person or the group as the configuration names it. */
        readonly peers: Readonly<Record<string, readonly string[]>>;
      };
    };
  };
  /** The bindings in the order in which they apply, and the agent of messages that match none of them. */
  "agents.bindings": {
    params: Record<string, never>;
    result: { readonly bindings: readonly AgentBinding[]; readonly defaultAgentId: string };
  };
}

/** Rows of the agent methods. */
export const AGENT_METHODS: MethodTable<AgentMethods> = defineMethods<AgentMethods>()({
  "agents.list": {
    access: "owner",
    stores: false,
    params: () => empty,
    result: () =>
      z.strictObject({
        agents: z.array(
          z.strictObject({
            id: z.string(),
            name: z.string(),
            emoji: z.string().optional(),
            isDefault: z.boolean(),
            mainSessionKey: z.string(),
            workspace: z.string(),
            model: z.string().optional(),
          }),
        ),
        broadcast: z
          .strictObject({ strategy: z.enum(["parallel", "sequential"]), peers: z.record(z.string(), z.array(z.string())) })
          .optional(),
      }),
  },
  "agents.bindings": {
    access: "owner",
    stores: false,
    params: () => empty,
    result: () => z.strictObject({ bindings: z.array(AgentBindingSchema), defaultAgentId: z.string() }),
  },
});
