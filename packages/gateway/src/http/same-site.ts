/** Host names of a loopback listener. Another name in `Host` is a page whose name resolves to this machine. */
const LOOPBACK_NAMES: ReadonlySet<string> = new Set(["localhost", "127.0.0.1", "[::1]"]);

/**
 * Why a request must be refused, or `undefined`. Guards against pages of other sites (R19): a loopback listener accepts loopback names and the public address
 * only, and a browser's `Origin` must be the address it talks to, the public one, or one of `allowedOrigins`.
 */
export function crossSiteProblem(
  headers: { readonly host: string | undefined; readonly origin: string | undefined },
  options: { readonly loopbackOnly: boolean; readonly publicUrl?: string | undefined; readonly allowedOrigins?: readonly string[] },
): string | undefined {
  const host = hostName(headers.host);
  if (host === undefined) return "The request has no valid Host.";
  const publicAddress = options.publicUrl === undefined ? undefined : new URL(options.publicUrl);
  const isPublicName = publicAddress?.hostname === host;
  if (options.loopbackOnly && !isPublicName && !LOOPBACK_NAMES.has(host) && !/^127(?:\.\d{1,3}){3}$/.test(host)) {
    return "This gateway listens on loopback only: address it as 127.0.0.1 or localhost, or set gateway.publicUrl to the address of the proxy in front of it.";
  }
  if (headers.origin === undefined || headers.origin === publicAddress?.origin || options.allowedOrigins?.includes(headers.origin) === true)
    return undefined;
  if (!URL.canParse(headers.origin)) return "The request has no valid Origin.";
  return new URL(headers.origin).host === headers.host?.toLowerCase() ? undefined : "Pages of other sites may not talk to this gateway.";
}

function hostName(host: string | undefined): string | undefined {
  if (host === undefined || !URL.canParse(`http://${host}`)) return undefined;
  const url = new URL(`http://${host}`);
  return url.pathname === "/" && url.username === "" ? url.hostname : undefined;
}
