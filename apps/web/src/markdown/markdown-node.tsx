import type { AlignType, Code, List, Nodes, Table } from "mdast";
import { useMemo } from "react";
import { CodeBlock } from "./code-block.tsx";
import { FormulaView } from "./formula-view.tsx";
import type { Definitions } from "./markdown-block.ts";
import { ScrollBox } from "../ui/scroll-box.tsx";
import { ImageButton } from "../pages/chat/message-files.tsx";
import { splitLines } from "./split-lines.ts";
import { t } from "../i18n/t.ts";

interface NodeProps<Node extends Nodes = Nodes> {
  readonly node: Node;
  /** The targets of `[text][name]`. */
  readonly definitions: Definitions;
  /** The deepest heading level allowed here: levels are not skipped, so that navigation by headings misses none. */
  readonly level: number;
}

/** Renders one node of a Markdown tree. Raw HTML is shown as text. Each paragraph has the direction of its first strong letter. */
export function MarkdownNode({ node, definitions, level }: NodeProps): React.ReactNode {
  const inside = "children" in node ? <Children node={node} definitions={definitions} level={level} /> : undefined;
  switch (node.type) {
    case "root":
    case "tableRow":
    case "tableCell":
      return inside;
    case "paragraph":
      return <p dir="auto">{inside}</p>;
    case "heading":
      return <Heading level={Math.min(node.depth + 1, level)}>{inside}</Heading>;
    case "text":
    case "html":
      return node.value;
    case "emphasis":
      return <em>{inside}</em>;
    case "strong":
      return <strong>{inside}</strong>;
    case "delete":
      return <del>{inside}</del>;
    case "inlineCode":
      return <code>{node.value}</code>;
    case "code":
      return <NestedCode node={node} />;
    case "formula":
      return <FormulaView tex={node.value} source={node.source} display={node.display} />;
    case "blockquote":
      return <blockquote dir="auto">{inside}</blockquote>;
    case "list":
      return <ItemList node={node} definitions={definitions} level={level} />;
    case "listItem":
      return (
        <li dir="auto">
          <Mark checked={node.checked} />
          {inside}
        </li>
      );
    case "thematicBreak":
      return <hr />;
    case "break":
      return <br />;
    case "table":
      return <DataTable node={node} definitions={definitions} level={level} />;
    case "link":
      return <ExternalLink url={node.url}>{inside}</ExternalLink>;
    case "linkReference":
      return <ExternalLink url={definitions.get(node.identifier)?.url}>{inside}</ExternalLink>;
    case "image":
      return <ImageLink url={node.url} alt={node.alt} />;
    case "imageReference":
      return <ImageLink url={definitions.get(node.identifier)?.url} alt={node.alt} />;
    case "footnoteReference":
      return <sup>{node.label ?? node.identifier}</sup>;
    case "footnoteDefinition":
      return (
        <div className="footnote" dir="auto">
          <sup>{node.label ?? node.identifier}</sup>
          <div>{inside}</div>
        </div>
      );
    case "definition":
    case "yaml":
      return null;
  }
}

function Children({
  node,
  definitions,
  level,
}: { readonly node: Extract<Nodes, { children: unknown }> } & Pick<NodeProps, "definitions" | "level">): React.ReactNode {
  const isTight = node.type === "listItem" && node.spread !== true;
  // A node's index is its identity: texts only grow.
  return node.children.map((child, index) => {
    // In a tight list the paragraphs are not rendered as such.
    if (isTight && child.type === "paragraph") return <Children key={index} node={child} definitions={definitions} level={level} />;
    if (child.type === "html" && node.type !== "paragraph" && node.type !== "heading")
      return (
        <p key={index} dir="auto">
          {child.value}
        </p>
      );
    return <MarkdownNode key={index} node={child} definitions={definitions} level={level} />;
  });
}

/** A code block in a list or a quote. */
function NestedCode({ node }: { readonly node: Code }): React.JSX.Element {
  const chunks = useMemo(() => splitLines(node.value), [node.value]);
  return <CodeBlock chunks={chunks} language={node.lang ?? undefined} complete />;
}

/** The page's own heading is the level above. */
function Heading({ level, children }: { readonly level: number; readonly children: React.ReactNode }): React.JSX.Element {
  if (level <= 2) return <h2 dir="auto">{children}</h2>;
  if (level === 3) return <h3 dir="auto">{children}</h3>;
  if (level === 4) return <h4 dir="auto">{children}</h4>;
  return level === 5 ? <h5 dir="auto">{children}</h5> : <h6 dir="auto">{children}</h6>;
}

function ItemList({ node, definitions, level }: NodeProps<List>): React.JSX.Element {
  const items = <Children node={node} definitions={definitions} level={level} />;
  if (node.ordered === true)
    return (
      <ol dir="auto" start={node.start ?? 1}>
        {items}
      </ol>
    );
  const isTasks = node.children.some((item) => typeof item.checked === "boolean");
  return (
    <ul dir="auto" className={isTasks ? "tasks" : undefined}>
      {items}
    </ul>
  );
}

function Mark({ checked }: { readonly checked: boolean | null | undefined }): React.ReactNode {
  if (typeof checked !== "boolean") return null;
  return (
    <>
      <span aria-hidden="true">{checked ? "☑ " : "☐ "}</span>
      <span className="sr-only">{checked ? t("Done:") : t("Open:")} </span>
    </>
  );
}

/** A table that scrolls if it is too wide. */
function DataTable({ node, definitions, level }: NodeProps<Table>): React.JSX.Element {
  const [head, ...rows] = node.children;
  const classOf = (index: number): string | undefined => alignClass(node.align?.[index]);
  return (
    <ScrollBox className="table-scroll shows-more" label={t("Table")}>
      <table>
        <thead>
          <tr>
            {head?.children.map((cell, index) => (
              <th key={index} dir="auto" className={classOf(index)}>
                <MarkdownNode node={cell} definitions={definitions} level={level} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, rowIndex) => (
            <tr key={rowIndex}>
              {row.children.map((cell, index) => (
                <td key={index} dir="auto" className={classOf(index)}>
                  <MarkdownNode node={cell} definitions={definitions} level={level} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollBox>
  );
}

function alignClass(align: AlignType | undefined): string | undefined {
  return align === "right" || align === "center" ? `align-${align}` : undefined;
}

/** Opens in a new tab without a referrer. Addresses other than web and mail stay text. */
export function ExternalLink({
  url,
  children,
}: {
  readonly url: string | undefined;
  readonly children: React.ReactNode;
}): React.JSX.Element {
  if (url === undefined || !/^(https?|mailto):/i.test(url)) return <span>{children}</span>;
  return (
    <a href={url} target="_blank" rel="noopener noreferrer">
      {children}
    </a>
  );
}

/** True for an image with inline data, which causes no request. SVG is excluded, because it is a document. */
function isDataImage(url: string | undefined): boolean {
  return url !== undefined && /^data:image\/(?:png|jpeg|gif|webp);base64,[a-z0-9+/=\s]+$/i.test(url);
}

/** A link to a remote image, because showing it would tell its server when and where an answer is read. */
function ImageLink({ url, alt }: { readonly url: string | undefined; readonly alt: string | null | undefined }): React.JSX.Element {
  if (isDataImage(url)) return <ImageButton url={url} name={alt || t("Image")} />;
  return (
    <ExternalLink url={url}>
      {alt === null || alt === undefined || alt === "" ? t("Image") : t("Image: {name}", { name: alt })}
    </ExternalLink>
  );
}
