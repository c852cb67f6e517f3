/** A part of an HTML text. */
export type HtmlToken =
  | { readonly type: "open" | "close"; readonly name: string; readonly attributes: ReadonlyMap<string, string> }
  | { readonly type: "text"; readonly text: string };

const NAMED: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"' };
const TOKEN = /<(\/?)([a-zA-Z][\w-]*)((?:\s+[\w-]+(?:="[^"<>]*")?)*)\s*>|&(\w+);|[^<>&]+|[^]/g;

/** Reads HTML strictly: every `<`, `>` and `&` is a part of a tag or of one of the four named references. Throws for anything else. */
export function readHtmlTokens(html: string): readonly HtmlToken[] {
  return Array.from(html.matchAll(TOKEN), ([token, slash, name, attributes = "", entity]): HtmlToken => {
    if (entity !== undefined) {
      const text = NAMED[entity];
      if (text === undefined) throw new Error(`an unknown reference ${token}`);
      return { type: "text", text };
    }
    if (name === undefined) {
      if (/[<>&]/.test(token)) throw new Error(`a bare ${token}`);
      return { type: "text", text: token };
    }
    if (slash === "/" && attributes !== "") throw new Error(`attributes of the end tag ${token}`);
    return { type: slash === "/" ? "close" : "open", name, attributes: readAttributes(attributes) };
  });
}

/** Throws for an address that a message may not link to. */
export function checkAddress(url: string): void {
  if (!/^(?:https?:\/\/|mailto:|tel:)\S+$/i.test(url)) throw new Error(`a link to ${JSON.stringify(url)}`);
}

function readAttributes(text: string): ReadonlyMap<string, string> {
  const attributes = new Map<string, string>();
  for (const [, name = "", value] of text.matchAll(/([\w-]+)(?:="([^"]*)")?/g)) {
    if (attributes.has(name)) throw new Error(`the attribute ${name} twice`);
    const written = value ?? "";
    if (/&(?!(?:amp|lt|gt|quot);)/.test(written)) throw new Error(`a bare & in the attribute ${name}`);
    attributes.set(
      name,
      written.replaceAll(/&(\w+);/g, (_, entity: string) => NAMED[entity] ?? ""),
    );
  }
  return attributes;
}
