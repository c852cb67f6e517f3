import TurndownService from "turndown";

/** Renders the content of an element as Markdown, with tables and fenced code as GitHub has them. */
export function renderMarkdown(root: HTMLElement): string {
  const service = new TurndownService({
    headingStyle: "atx",
    codeBlockStyle: "fenced",
    bulletListMarker: "-",
    emDelimiter: "*",
    hr: "---",
  });
  service.addRule("link", { filter: (node) => node.nodeName === "A", replacement: (text, node) => renderLink(text, elementOf(node)) });
  service.addRule("image", { filter: "img", replacement: (_text, node) => renderImage(elementOf(node)) });
  service.addRule("strikethrough", { filter: ["del", "s"], replacement: (text) => `~~${text}~~` });
  service.addRule("code-block", { filter: "pre", replacement: (_text, node) => renderCode(elementOf(node)) });
  addTableRules(service);
  return service.turndown(root).trim();
}

function elementOf(node: Node): HTMLElement {
  return node as HTMLElement;
}

/** In angle brackets where the address has parentheses, so that it can be read back as it is. */
function renderLink(text: string, element: HTMLElement): string {
  const label = text.replaceAll(/\s+/g, " ").trim();
  const href = element.getAttribute("href") ?? "";
  if (href === "" || label === "") return label;
  return `[${label}](${destination(href)})`;
}

function renderImage(element: HTMLElement): string {
  const src = element.getAttribute("src") ?? "";
  const alt = (element.getAttribute("alt") ?? "").replaceAll(/[\s[\]]+/g, " ").trim();
  return src === "" ? "" : `![${alt}](${destination(src)})`;
}

function destination(address: string): string {
  return /[()\s]/.test(address) ? `<${address.replaceAll(/[<>\s]/g, encodeURIComponent)}>` : address;
}

/** The language is in the class of the block, of its `code`, or of its container. */
function renderCode(element: HTMLElement): string {
  const places = [element.querySelector("code"), element, element.parentElement];
  const language = places.flatMap(
    (place) => /(?:^|\s)(?:language-|lang-|highlight-source-)([\w+#-]{1,30})/.exec(place?.getAttribute("class") ?? "")?.[1] ?? [],
  )[0];
  const code = (element.textContent ?? "").replace(/^\n|\n$/g, "");
  const longest = Math.max(2, ...[...code.matchAll(/^`{3,}/gm)].map(([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  return `\n\n${fence}${language ?? ""}\n${code}\n${fence}\n\n`;
}

function addTableRules(service: TurndownService): void {
  service.addRule("table-cell", {
    filter: ["th", "td"],
    replacement: (text, node) =>
      isDataTable(tableOf(node))
        ? ` ${text
            .trim()
            .replaceAll(/\s*\n\s*/g, " ")
            .replaceAll("|", "\\|")} |`
        : `\n\n${text.trim()}\n\n`,
  });
  service.addRule("table-row", {
    filter: "tr",
    replacement: (text, node) => {
      const table = tableOf(node);
      if (!isDataTable(table)) return text;
      const isFirst = table?.querySelector("tr") === node;
      return `\n|${text}${isFirst ? `\n|${" --- |".repeat(cellsOf(elementOf(node)))}` : ""}`;
    },
  });
  service.addRule("table-part", { filter: ["thead", "tbody", "tfoot"], replacement: (text) => text });
  service.addRule("table", { filter: "table", replacement: (text) => `\n\n${text.replace(/^\n+/, "")}\n\n` });
}

function tableOf(node: Node): Element | null {
  return elementOf(node).closest("table");
}

/** Not a table for the layout: its rows have several cells, and its cells hold text, not blocks. */
function isDataTable(table: Element | null): boolean {
  const first = table?.querySelector("tr");
  if (table === null || first === null || first === undefined) return false;
  return cellsOf(first) > 1 && table.querySelector("table, h1, h2, h3, h4, ul, ol, pre, form") === null;
}

function cellsOf(row: Element): number {
  return [...row.children].filter(({ nodeName }) => nodeName === "TH" || nodeName === "TD").length;
}
