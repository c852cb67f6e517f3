import { isIP } from "node:net";
import * as z from "zod";
import { SecretSchema, type Secret } from "./secret.ts";

/** The services that `web_search` can ask. */
const SEARCH_PROVIDERS = ["brave", "tavily", "searxng", "duckduckgo"] as const;

/** The tools for the web. */
export interface WebConfig {
  readonly search: {
    /** Unset: the service whose key is in the environment, otherwise DuckDuckGo. */
    readonly provider?: (typeof SEARCH_PROVIDERS)[number] | undefined;
    /** Unset: the service's usual variable in the environment. */
    readonly apiKey?: Secret | undefined;
    /** Address of the service; needed by SearXNG alone. */
    readonly baseUrl?: string | undefined;
  };
  readonly fetch: {
    /** Of one page, decompressed; the rest is not read. */
    readonly maxBytes: number;
    /** Places that are not public and that the owner's turns may fetch. */
    readonly allowPrivate: readonly string[];
  };
}

const PLACE =
  'a host name, an address or a network is expected, such as "nas.lan", "192.168.1.10:8080", "[fd00::1]:80" or "192.168.1.0/24"';

/** Parses a place that is not public. */
export const PlaceSchema: z.ZodType<string> = z.string({ error: PLACE }).refine(isPlace, { error: PLACE });

const SearchSchema = z
  .strictObject({
    provider: z
      .enum(SEARCH_PROVIDERS)
      .optional()
      .describe(
        "Service that `web_search` asks. Unset: the one whose key is in the environment (`BRAVE_API_KEY`, `TAVILY_API_KEY`), otherwise DuckDuckGo, which needs no key.",
      ),
    apiKey: SecretSchema.optional().describe(
      "Key of the provider, Brave or Tavily. Unset: `BRAVE_API_KEY` or `TAVILY_API_KEY` in the environment.",
    ),
    baseUrl: z
      .url({ protocol: /^https?$/, error: "an address that begins with http:// or https:// is expected" })
      .optional()
      .describe("Address of the provider instead of its usual one; SearXNG needs one. It may be on a private network."),
  })
  .refine(({ provider, baseUrl }) => provider !== "searxng" || baseUrl !== undefined, {
    path: ["baseUrl"],
    error: "SearXNG has no address of its own: set this key to that of yours before the provider",
  });

/** Parses `tools.web`. */
export const WebSchema: z.ZodType<WebConfig> = z
  .strictObject({
    search: SearchSchema.prefault({}).describe("Searching the web."),
    fetch: z
      .strictObject({
        maxBytes: z
          .int()
          .min(10_000)
          .max(10_000_000)
          .default(2_000_000)
          .describe("How much of a page is read at most, in bytes, decompressed."),
        allowPrivate: z
          .array(PlaceSchema)
          .default([])
          .describe(
            "Places outside of the public internet that the owner's turns may fetch: host names, addresses with or without a port, networks in CIDR notation.",
          ),
      })
      .prefault({})
      .describe("Fetching pages."),
  })
  .prefault({})
  .describe("Tools for the web.");

function isPlace(text: string): boolean {
  const [network = "", prefix, ...more] = text.split("/");
  if (prefix !== undefined) {
    const family = isIP(network);
    return more.length === 0 && family !== 0 && /^\d{1,3}$/.test(prefix) && Number(prefix) <= (family === 4 ? 32 : 128);
  }
  if (isIP(text) !== 0) return true;
  const parts = /^(?:\[([\da-f:.]+)\]|([\w.-]+))(?::(\d{1,5}))?$/i.exec(text);
  if (parts === null || Number(parts[3] ?? 1) > 65_535 || parts[3] === "0") return false;
  const [, address, name = ""] = parts;
  if (address !== undefined) return isIP(address) === 6;
  // Digits alone are an address, or a mistyped one.
  return isIP(name) === 4 || (/[a-z]/i.test(name) && !/^[.-]|[.-]$/.test(name));
}
