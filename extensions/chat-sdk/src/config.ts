import * as z from "zod";

/** One account: one adapter with its options. */
export interface ChatSdkConfig {
  readonly adapter: string;
  readonly options: Readonly<Record<string, unknown>>;
}

/** Schema of one account, without the keys that every account has. */
export const ChatSdkConfigSchema: z.ZodType<ChatSdkConfig> = z.strictObject({
  adapter: z
    .string()
    .regex(/^(?:@[a-z0-9][a-z0-9._-]*\/)?[a-z0-9][a-z0-9._-]*$/, "must be the name of an npm package, without a path or a version")
    .meta({ patternErrorMessage: "must be the name of an npm package, without a path or a version" })
    .describe("The npm package of the adapter, which you have installed next to the channel."),
  options: z
    .record(z.string(), z.unknown())
    // A terminal asks for them: hardly an adapter works without.
    .meta({ isAsked: true })
    .default({})
    .describe("The options of the adapter as its own documentation names them; secrets can be references."),
});
