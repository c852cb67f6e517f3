/** Address of the Control UI for a browser. The token stands in the fragment, which no browser sends to a server. */
export function addressOf(url: string, token: string | undefined): string {
  return token === undefined ? `${url}/` : `${url}/#token=${encodeURIComponent(token)}`;
}
