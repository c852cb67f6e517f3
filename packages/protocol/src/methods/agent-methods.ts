import * as z from "zod";
import { AgentBindingSchema, AgentMatchSchema, type AgentBinding } from "../shapes/bindings.ts";
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
  /**
   * Adds an agent to the configuration, and makes its workspace with the files of a new one. These changes reject with `invalid-request` for an agent that does
   * not exist or exists already, and with `unavailable` where the file cannot be changed. `problems`: what is wrong with the configuration since then.
   */
  "agents.add": {
    params: { readonly id: string; readonly name?: string; readonly model?: string; readonly workspace?: string };
    result: { readonly id: string; readonly workspace: string; readonly problems: readonly string[] };
  };
  /** Changes an agent; `null` removes a setting, so that it takes its default. With `isDefault` the default agent of before is not any longer. */
  "agents.update": {
    params: { readonly id: string; readonly name?: string | null; readonly model?: string | null; readonly isDefault?: true };
    result: { readonly id: string; readonly problems: readonly string[] };
  };
  /** Removes an agent with its bindings. Its files and conversations stay. The default agent stays until another one is. */
  "agents.remove": { params: { readonly id: string }; result: { readonly id: string; readonly workspace: string } };
  /** Gives messages to an agent; everything in `match` must match. Rejects with `invalid-request` for messages that a binding gives to an agent already. */
  "agents.bind": {
    params: { readonly agentId: string; readonly match: AgentBinding["match"] };
    result: { readonly agentId: string; readonly problems: readonly string[] };
  };
  /** Removes a binding by its place. Rejects with `conflict` if another one is there by now. */
  "agents.unbind": { params: { readonly agentId: string; readonly index: number }; result: { readonly index: number } };
  /** The bindings in the order in which they apply, and the agent of messages that match none of them. */
  "agents.bindings": {
    params: Record<string, never>;
    result: { readonly bindings: readonly AgentBinding[]; readonly defaultAgentId: string };
  };
}

const id = z.string().min(1).max(64);
const text = z.string().min(1).max(1000);
const problems = z.array(z.string());

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
  "agents.add": {
    access: "owner",
    stores: true,
    params: () => z.strictObject({ id, name: text.optional(), model: text.optional(), workspace: text.optional() }),
    result: () => z.strictObject({ id: z.string(), workspace: z.string(), problems }),
  },
  "agents.update": {
    access: "owner",
    stores: true,
    params: () => z.strictObject({ id, name: text.nullish(), model: text.nullish(), isDefault: z.literal(true).optional() }),
    result: () => z.strictObject({ id: z.string(), problems }),
  },
  "agents.remove": {
    access: "owner",
    stores: true,
    params: () => z.strictObject({ id }),
    result: () => z.strictObject({ id: z.string(), workspace: z.string() }),
  },
  "agents.bind": {
    access: "owner",
    stores: true,
    params: () => z.strictObject({ agentId: id, match: AgentMatchSchema }),
    result: () => z.strictObject({ agentId: z.string(), problems }),
  },
  "agents.unbind": {
    access: "owner",
    stores: true,
    params: () => z.strictObject({ agentId: id, index: z.number().int().min(0) }),
    result: () => z.strictObject({ index: z.number() }),
  },
  "agents.bindings": {
    access: "owner",
    stores: false,
    params: () => empty,
    result: () => z.strictObject({ bindings: z.array(AgentBindingSchema), defaultAgentId: z.string() }),
  },
});
