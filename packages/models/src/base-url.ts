import type { ModelApi } from "@factotum/agent-contract";

const VERSION_SEGMENT = /^v\d+(?:(?:alpha|beta)\d*)?$/;

/** Vendors whose documented base address has no version segment. */
const UNVERSIONED_HOSTS: readonly string[] = ["api.perplexity.ai", "models.github.ai"];

/**
 * The address that a wire format's paths are appended to: the vendor's documented base, with `/v1` (Google: `/v1beta`) added if no segment of its path is a
 * version. No trailing slash. Throws a `TypeError` for anything but an http or https address.
 */
export function normalizeBaseUrl(baseUrl: string, api: ModelApi): string {
  const url = URL.parse(baseUrl);
  if (url === null || (url.protocol !== "http:" && url.protocol !== "https:")) {
    throw new TypeError(`baseUrl "${baseUrl}" is no http or https address; write it like "https://host/v1".`);
  }
  const path = url.pathname.replace(/\/+$/, "");
  const versioned = path.split("/").some((segment) => VERSION_SEGMENT.test(segment));
  const suffix = versioned || UNVERSIONED_HOSTS.includes(url.hostname) ? "" : api === "google-generative-ai" ? "/v1beta" : "/v1";
  return `${url.origin}${path}${suffix}`;
}

/** True for loopback and private addresses, where a model may be loaded from disk before it answers. */
export function isLocalUrl(baseUrl: string): boolean {
  const host = URL.parse(baseUrl)?.hostname ?? "";
  if (host === "localhost" || host.endsWith(".localhost") || host.endsWith(".local") || host === "[::1]") return true;
  if (/^\[f[cd][0-9a-f]{2}:/.test(host) || /^\[fe[89ab][0-9a-f]:/.test(host)) return true;
  return /^(?:127\.|10\.|192\.168\.|169\.254\.|172\.(?:1[6-9]|2\d|3[01])\.)/.test(host);
}
