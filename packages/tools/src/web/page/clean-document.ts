/** Removes what a reader does not see, as far as the markup says so, and makes every address absolute. */
export function cleanDocument(document: Document, url: string): void {
  const base = URL.parse(document.querySelector("base[href]")?.getAttribute("href") ?? "", url)?.href ?? url;
  for (const element of document.querySelectorAll(INVISIBLE)) element.remove();
  for (const element of document.querySelectorAll("[style]")) if (HIDDEN_STYLE.test(element.getAttribute("style") ?? "")) element.remove();
  resolveAddresses(document, "a", "href", base);
  resolveAddresses(document, "img", "src", base);
}

const INVISIBLE = "script, style, body title, noscript, template, svg, iframe, object, embed, canvas, dialog, [hidden], [aria-hidden=true]";
const HIDDEN_STYLE =
  /(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*hidden|opacity\s*:\s*0(?:\.0+)?\s*(?:;|!|$)|font-size\s*:\s*0(?:px|em|rem|pt|%)?\s*(?:;|!|$))/i;

function resolveAddresses(document: Document, name: string, attribute: string, base: string): void {
  for (const element of document.querySelectorAll(`${name}[${attribute}]`)) {
    const address = URL.parse(element.getAttribute(attribute) ?? "", base);
    if (address !== null && (address.protocol === "http:" || address.protocol === "https:")) element.setAttribute(attribute, address.href);
    else element.removeAttribute(attribute);
  }
}

/** Where `<meta http-equiv="refresh">` sends the reader. */
export function refreshTarget(document: Document, url: string): string | undefined {
  for (const meta of document.querySelectorAll("meta[http-equiv]")) {
    if (meta.getAttribute("http-equiv")?.toLowerCase() !== "refresh") continue;
    const [, target] = /^\s*[\d.]*\s*[;,]\s*(?:url\s*=\s*)?["']?([^"']{1,2000})/i.exec(meta.getAttribute("content") ?? "") ?? [];
    const address = target === undefined ? null : URL.parse(target.trim(), url);
    if (address !== null && /^https?:$/.test(address.protocol)) return address.href;
  }
  return undefined;
}
