import type * as z from "zod";

/** The facts of a channel that the configuration needs. */
export interface ChannelSource {
  readonly id: string;
  /** True for a channel whose account `default` exists without being configured. */
  readonly implicit?: boolean;
  /** Loads the schema of one account; called only if the file names the channel and the account is enabled. */
  load(): Promise<z.ZodType>;
}

/** A channel whose schema has been loaded. */
export interface ChannelSchema {
  readonly id: string;
  readonly schema: z.ZodType;
}

/** Loads the schemas of all channels, for the JSON Schema of the whole file. */
export async function loadChannelSchemas(sources: readonly ChannelSource[]): Promise<readonly ChannelSchema[]> {
  return Promise.all(sources.map(async (source) => ({ id: source.id, schema: await source.load() })));
}
