import path from "node:path";

/** The location of a file named by an answer, or why it is not loaded. */
export type MediaTarget =
  | { readonly type: "path"; readonly path: string }
  | { readonly type: "url"; readonly url: string }
  | { readonly type: "refused"; readonly why: string };

const MAX_CHARS = 4_096;

/** Parses the target of a `MEDIA:` line or the `message` tool: a path in the workspace, or a web address. Pure. */
export function parseMediaTarget(named: string): MediaTarget {
  const text = named.trim();
  if (text === "" || text.length > MAX_CHARS || text.includes("\0")) return refused("it names no file");
  if (/^https?:\/\//i.test(text)) return { type: "url", url: text };
  if (/^[a-z][a-z0-9+.-]*:/i.test(text)) return refused("only paths in the workspace and http(s) addresses are taken");
  if (/^[/\\]/.test(text)) return refused("absolute paths are refused; give the path from the workspace");
  if (text.startsWith("~")) return refused("`~` is refused; give the path from the workspace");
  const plain = path.posix.normalize(text.replaceAll("\\", "/"));
  if (plain === ".." || plain.startsWith("../")) return refused("the path leaves the workspace");
  return { type: "path", path: text };
}

function refused(why: string): MediaTarget {
  return { type: "refused", why };
}
