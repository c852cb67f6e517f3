/** The published values of the `anthropic-version` header. */
export const API_VERSIONS = ["2023-01-01", "2023-06-01", "2026-10-21"] as const;

export type AnthropicApiVersion = (typeof API_VERSIONS)[number];

/** The usual version of clients. */
export const DEFAULT_API_VERSION: AnthropicApiVersion = "2023-06-01";

/** The header's version, or the default if it is not a published one. */
export function parseApiVersion(header: string | readonly string[] | undefined): AnthropicApiVersion {
  return API_VERSIONS.find((version) => version === header) ?? DEFAULT_API_VERSION;
}
