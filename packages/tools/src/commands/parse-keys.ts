/** What a terminal sends for a key. */
const KEYS: Readonly<Record<string, string>> = {
  Enter: "\r",
  Tab: "\t",
  "S-Tab": "\u001b[Z",
  Escape: "\u001b",
  Space: " ",
  Backspace: "\u007f",
  Delete: "\u001b[3~",
  Insert: "\u001b[2~",
  Up: "\u001b[A",
  Down: "\u001b[B",
  Right: "\u001b[C",
  Left: "\u001b[D",
  Home: "\u001b[H",
  End: "\u001b[F",
  PageUp: "\u001b[5~",
  PageDown: "\u001b[6~",
  F1: "\u001bOP",
  F2: "\u001bOQ",
  F3: "\u001bOR",
  F4: "\u001bOS",
  F5: "\u001b[15~",
  F6: "\u001b[17~",
  F7: "\u001b[18~",
  F8: "\u001b[19~",
  F9: "\u001b[20~",
  F10: "\u001b[21~",
  F11: "\u001b[23~",
  F12: "\u001b[24~",
};

const BY_LOWER_CASE: ReadonlyMap<string, string> = new Map(Object.entries(KEYS).map(([name, bytes]) => [name.toLowerCase(), bytes]));

/** Control characters are the letters, and these, with the upper bits cleared. */
const CONTROLLED = /^C-([a-z@[\\\]^_])$/iu;
const META = /^M-(.)$/u;

const SINGLE = /^.$/su;

/** What a terminal sends for keys, in order: names such as `Enter`, `C-c` and `M-x`, and single characters. The unknown one if there is any. */
export function parseKeys(
  keys: readonly string[],
): { readonly type: "bytes"; readonly text: string } | { readonly type: "unknown"; readonly key: string } {
  let text = "";
  for (const key of keys) {
    const bytes = bytesOf(key);
    if (bytes === undefined) return { type: "unknown", key };
    text += bytes;
  }
  return { type: "bytes", text };
}

function bytesOf(key: string): string | undefined {
  if (SINGLE.test(key)) return key;
  const controlled = CONTROLLED.exec(key)?.[1];
  if (controlled !== undefined) return String.fromCharCode(controlled.toUpperCase().charCodeAt(0) & 0x1f);
  const meta = META.exec(key)?.[1];
  return meta === undefined ? BY_LOWER_CASE.get(key.toLowerCase()) : `\u001b${meta}`;
}

/** The names, for an error. */
export const KEY_NAMES: readonly string[] = Object.keys(KEYS);
