/** A block of the configuration, as the file or what holds has it. */
export type ConfigBlock = Readonly<Record<string, unknown>>;

/** A value as a block; an empty one for anything else. */
export function asBlock(value: unknown): ConfigBlock {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : {};
}
