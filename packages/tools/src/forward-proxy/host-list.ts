/** True for a host that a list allows: a name or an address as it stands there, or a name below an entry that begins with `*.`. */
export function createHostList(entries: readonly string[]): (host: string) => boolean {
  const names = new Set<string>();
  const suffixes: string[] = [];
  for (const entry of entries) {
    const text = entry.trim().toLowerCase();
    if (text.startsWith("*.")) suffixes.push(text.slice(1));
    else names.add(text);
  }
  return (host) => {
    // A name may end in a dot, which changes nothing about it.
    const name = host.toLowerCase().replace(/\.$/, "");
    return names.has(name) || suffixes.some((suffix) => name.length > suffix.length && name.endsWith(suffix));
  };
}
