/** The part of a Markdown syntax tree that is used here. */
export interface MarkdownNode {
  readonly type: string;
  readonly children?: readonly MarkdownNode[] | undefined;
  readonly value?: string | undefined;
  readonly url?: string | undefined;
  readonly alt?: string | null | undefined;
  readonly depth?: number | undefined;
  readonly identifier?: string | undefined;
  readonly position?:
    | { readonly start: { readonly offset?: number | undefined }; readonly end: { readonly offset?: number | undefined } }
    | undefined;
}

interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/**
 * Rewrites the constructs of Markdown that Feishu's `md` element does not show, and leaves every other character as it is: headings to the small sizes, tables
 * and indented code to fenced blocks, images and references to plain links.
 */
export function editMarkdown(source: string, tree: MarkdownNode): string {
  const links = new Map<string, string>();
  walk(tree, (node) => {
    if (node.type === "definition" && node.identifier !== undefined) links.set(node.identifier, node.url ?? "");
  });
  const edits: Edit[] = [];
  walk(tree, (node, parent) => edits.push(...editsOf({ node, parent, source, links })));
  let result = "";
  let at = 0;
  for (const edit of edits.toSorted((left, right) => left.start - right.start)) {
    if (edit.start < at) continue;
    result += source.slice(at, edit.start) + edit.text;
    at = edit.end;
  }
  return result + source.slice(at);
}

function editsOf(input: { node: MarkdownNode; parent: MarkdownNode; source: string; links: ReadonlyMap<string, string> }): Edit[] {
  const { node, parent, source, links } = input;
  const span = spanOf(node);
  if (span === undefined) return [];
  const original = source.slice(span.start, span.end);
  const replaceAll = (text: string): Edit[] => [{ ...span, text }];
  switch (node.type) {
    case "heading":
      return headingEdits(node, span);
    case "image":
      return replaceAll(link(node.alt, node.url ?? ""));
    case "imageReference":
      return replaceAll(link(node.alt, links.get(node.identifier ?? "") ?? ""));
    case "linkReference":
      return replaceAll(`[${textOf(node, source)}](${links.get(node.identifier ?? "") ?? ""})`);
    case "definition":
      return replaceAll("");
    case "table":
      return parent.type === "root" ? replaceAll(`\`\`\`\n${original}\n\`\`\``) : [];
    case "code":
      return parent.type === "root" && !/^\s*(?:`{3}|~{3})/.test(original) ? replaceAll(`\`\`\`\n${node.value ?? ""}\n\`\`\``) : [];
    default:
      return [];
  }
}

/** Only the marks are replaced, so that what stands in the heading is rewritten by itself. */
function headingEdits(node: MarkdownNode, span: { start: number; end: number }): Edit[] {
  const marks = node.depth === 1 ? "#### " : "##### ";
  const first = spanOf(node.children?.[0]);
  const last = spanOf(node.children?.at(-1));
  if (first === undefined || last === undefined) return [{ ...span, text: "" }];
  return [
    { start: span.start, end: first.start, text: marks },
    { start: last.end, end: span.end, text: "" },
  ];
}

function link(alt: string | null | undefined, url: string): string {
  const label = alt === null || alt === undefined || alt === "" ? "image" : alt.replace(/[[\]]/g, "");
  return url === "" ? label : `[${label}](${url})`;
}

function textOf(node: MarkdownNode, source: string): string {
  const first = spanOf(node.children?.[0]);
  const last = spanOf(node.children?.at(-1));
  return first === undefined || last === undefined ? "" : source.slice(first.start, last.end);
}

function spanOf(node: MarkdownNode | undefined): { start: number; end: number } | undefined {
  const start = node?.position?.start.offset;
  const end = node?.position?.end.offset;
  return start === undefined || end === undefined ? undefined : { start, end };
}

function walk(node: MarkdownNode, visit: (node: MarkdownNode, parent: MarkdownNode) => void): void {
  for (const child of node.children ?? []) {
    visit(child, node);
    walk(child, visit);
  }
}
