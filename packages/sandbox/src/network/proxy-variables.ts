/** Port of the forwarder on the loopback of a sandbox, which has a network of its own. */
export const FORWARDER_PORT = 3128;

/** The variables by which programs find a proxy, in both spellings: each is read by some of them. */
export function proxyVariables({ port, token }: { readonly port: number; readonly token: string }): Readonly<Record<string, string>> {
  const url = `http://factotum:${token}@127.0.0.1:${port}`;
  const local = "localhost,127.0.0.1,::1";
  const named = { HTTP_PROXY: url, HTTPS_PROXY: url, ALL_PROXY: url, NO_PROXY: local };
  return { ...named, ...Object.fromEntries(Object.entries(named).map(([name, value]) => [name.toLowerCase(), value])) };
}
