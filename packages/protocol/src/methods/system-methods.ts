import * as z from "zod";
import { defineMethods, type MethodTable } from "./define-methods.ts";
import { key } from "./params.ts";

/** Methods that tell agents what has happened. */
export interface SystemMethods {
  /**
   * Shows a text to the next turn of a session, once, whatever begins that turn. The session is that of the agent's heartbeat without `sessionKey`, the agent the
   * default one without `agentId`. `wake: "now"` makes the heartbeat due at once. `note` says why nothing was woken. Rejects with `not-found` for an unknown agent,
   * and with `conflict` if 50 events wait there.
   */
  "system.event": {
    params: {
      readonly text: string;
      readonly agentId?: string;
      readonly sessionKey?: string;
      readonly wake?: "now" | "next-heartbeat";
    };
    result: { readonly sessionKey: string; readonly note?: string };
  };
}

/** Rows of the system methods. */
export const SYSTEM_METHODS: MethodTable<SystemMethods> = defineMethods<SystemMethods>()({
  "system.event": {
    access: "owner",
    stores: true,
    params: () =>
      z.strictObject({
        text: z
          .string()
          .max(1000)
          .refine((text) => text.trim() !== "", "the text is empty"),
        agentId: key.optional(),
        sessionKey: key.optional(),
        wake: z.enum(["now", "next-heartbeat"]).optional(),
      }),
    result: () => z.strictObject({ sessionKey: z.string(), note: z.string().optional() }),
  },
});
