import * as z from "zod";
import { FreeSchema, NamesSchema, TextSchema } from "./values.ts";

/** Settings of one plugin. */
interface PluginEntry {
  readonly enabled: boolean;
  /** It runs in the gateway's process, with the gateway's authority. */
  readonly trusted: boolean;
  /** Its process is stopped after this time without a call. Unset: two minutes. */
  readonly idleSeconds?: number | undefined;
  readonly config: Readonly<Record<string, unknown>>;
}

/** Which plugins are loaded. */
export interface PluginsConfig {
  readonly entries: Readonly<Record<string, PluginEntry>>;
  readonly allow?: readonly string[] | undefined;
  readonly deny: readonly string[];
}

/** Parses `plugins`. */
export const PluginsSchema: z.ZodType<PluginsConfig> = z
  .strictObject({
    entries: z
      .record(
        TextSchema,
        z.strictObject({
          enabled: z.boolean().default(true).describe("`false` switches the plugin off."),
          trusted: z
            .boolean()
            .default(false)
            .describe(
              "`true`: the plugin runs in the gateway's process and can do what the gateway can. By default it has a process of its own.",
            ),
          idleSeconds: z
            .int()
            .min(1)
            .max(86_400)
            .optional()
            .describe("Seconds without a call after which its process is stopped; the next call starts it again. Unset: 120."),
          config: FreeSchema.default({}).describe("Settings of the plugin."),
        }),
      )
      .default({})
      .describe("Settings of single plugins, by the id of the plugin."),
    allow: NamesSchema.optional().describe("Ids of the plugins that may be used. Unset: all that are installed."),
    deny: NamesSchema.default([]).describe("Ids of plugins that are not used."),
  })
  .describe("Plugins.");
