const KEY = "factotum.files.";

/** The names of the files that were attached to a session's unsent message when the page was left: a reload keeps names, not files. */
export function loadFileNames(storage: Pick<Storage, "getItem">, sessionKey: string): readonly string[] {
  const text = storage.getItem(KEY + sessionKey);
  return text === null ? [] : text.split("\n");
}

/** Stores the names for the next reload. */
export function storeFileNames(storage: Pick<Storage, "setItem" | "removeItem">, sessionKey: string, names: readonly string[]): void {
  if (names.length === 0) storage.removeItem(KEY + sessionKey);
  else storage.setItem(KEY + sessionKey, names.map((name) => name.replaceAll("\n", " ")).join("\n"));
}
