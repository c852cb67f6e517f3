import { ollamaServer } from "./ollama-server.ts";

const DEFAULT_ADDRESS = "http://127.0.0.1:11434";
const SCHEME = /^https?:\/\//i;

/** The address of the Ollama server in `OLLAMA_HOST`; the default if it cannot be parsed. */
export function ollamaAddress(host: string | undefined): string {
  return parseOllamaHost(host) ?? DEFAULT_ADDRESS;
}

/**
 * The address of the Ollama server in `OLLAMA_HOST`, without a trailing slash or the `/v1` of its chat endpoint; `undefined` if it cannot be parsed. The
 * variable is an address, or a host, a port or both. Ollama itself reads it too, so a wildcard address is replaced by loopback.
 */
export function parseOllamaHost(host: string | undefined): string | undefined {
  const value = (host ?? "").trim().replaceAll(/^["']|["']$/g, "");
  if (value === "") return DEFAULT_ADDRESS;
  if (value.includes("://") && !SCHEME.test(value)) return undefined;
  const url = URL.parse(SCHEME.test(value) ? value : `http://${withHost(value)}`);
  if (url === null) return undefined;
  // With a scheme the port defaults to that of the scheme, as in Ollama's own client.
  if (url.port === "" && !SCHEME.test(value)) url.port = "11434";
  if (url.hostname === "0.0.0.0") url.hostname = "127.0.0.1";
  if (url.hostname === "[::]") url.hostname = "[::1]";
  return ollamaServer(`${url.origin}${url.pathname}`);
}

/** `:8000` is a port of this machine, `::1` an address that needs brackets in a URL. */
function withHost(value: string): string {
  if (/^:\d/.test(value) && !value.slice(1).includes(":")) return `127.0.0.1${value}`;
  return /^[\da-f:]*:[\da-f:]*:[\da-f:]*$/i.test(value) ? `[${value}]` : value;
}
