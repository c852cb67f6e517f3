const DEFAULT_ADDRESS = "http://127.0.0.1:11434";
const SCHEME = /^https?:\/\//i;

/**
 * The address of the Ollama server that `OLLAMA_HOST` means, without a slash at the end. The variable is an address, or a host, a port or both; it is
 * what Ollama itself reads, so what a server listens on everywhere is reached on loopback. What cannot be read means the default.
 */
export function ollamaAddress(host: string | undefined): string {
  const value = (host ?? "").trim().replaceAll(/^["']|["']$/g, "");
  if (value === "") return DEFAULT_ADDRESS;
  const url = URL.parse(SCHEME.test(value) ? value : `http://${withHost(value)}`);
  if (url === null) return DEFAULT_ADDRESS;
  // With a scheme the port is that of the scheme, as for Ollama's own client.
  if (url.port === "" && !SCHEME.test(value)) url.port = "11434";
  if (url.hostname === "0.0.0.0") url.hostname = "127.0.0.1";
  if (url.hostname === "[::]") url.hostname = "[::1]";
  return `${url.origin}${url.pathname.replace(/\/+$/, "")}`;
}

/** `:8000` is a port of this machine, `::1` an address that needs brackets in a URL. */
function withHost(value: string): string {
  if (/^:\d/.test(value) && !value.slice(1).includes(":")) return `127.0.0.1${value}`;
  return /^[\da-f:]*:[\da-f:]*:[\da-f:]*$/i.test(value) ? `[${value}]` : value;
}
