/** Address of the Control UI for a browser. The token is in the fragment, which browsers do not send to a server. */
export function addressOf(url: string, token: string | undefined): string {
  return token === undefined ? `${url}/` : `${url}/#token=${encodeURIComponent(token)}`;
}
