import * as z from "zod";
import { AllowedHostSchema } from "./allowed-host.ts";

/** The sandbox of a local server. */
export interface ServerSandbox {
  readonly mode: "inherit" | "off" | "on";
  readonly network: "none" | { readonly allow: readonly string[] };
}

/** The keys that the sandboxes of all local servers have. */
export const SERVER_SANDBOX_SHAPE: {
  readonly mode: z.ZodDefault<z.ZodType<ServerSandbox["mode"]>>;
  readonly network: z.ZodDefault<z.ZodType<ServerSandbox["network"]>>;
} = {
  mode: z
    .enum(["inherit", "off", "on"])
    .default("inherit")
    .describe("`inherit`: that of the conversation that uses the server. `on`: always in a sandbox. `off`: always on the host."),
  network: z
    .union([
      z.literal("none"),
      z.strictObject({ allow: z.array(AllowedHostSchema).describe("Hosts that the server may reach through the gateway's proxy.") }),
    ])
    .default("none")
    .describe("With `on`: its network, none or single hosts."),
};
