import * as z from "zod";
import { IdSchema } from "./values.ts";

/** Conversations that several agents answer. */
export interface BroadcastConfig {
  /** `parallel`: at the same time. `sequential`: each begins once the answer before its own is delivered. */
  readonly strategy: "parallel" | "sequential";
  /** The agents by the id of the person or the group, as written: `channel:id`, `channel/account:id`, or the id alone. In the order of their answers. */
  readonly peers: Readonly<Record<string, readonly string[]>>;
}

/** Parses `broadcast`: every key but `strategy` is a person or a group. */
export const BroadcastSchema: z.ZodType<BroadcastConfig> = z
  .object({
    strategy: z
      .enum(["parallel", "sequential"])
      .default("parallel")
      .describe("`parallel`: the agents answer at the same time. `sequential`: one after the other, in the order of the list."),
  })
  .catchall(z.array(IdSchema).min(1))
  .transform(({ strategy, ...peers }) => ({ strategy, peers }))
  .describe(
    "Conversations that several agents answer: lists of agents, by the person or the group as `channel:id`, `channel/account:id`, or the id alone if one channel is configured.",
  );
