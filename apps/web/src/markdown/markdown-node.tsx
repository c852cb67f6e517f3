import type { AlignType, Definition, List, Nodes, Table } from "mdast";
import { CodeBlock } from "./code-block.tsx";
import { ScrollBox } from "../views/scroll-box.tsx";
import { ImageButton } from "../views/message-files.tsx";

interface NodeProps<Node extends Nodes = Nodes> {
  readonly node: Node;
  /** What `[text][name]` refers to. */
  readonly definitions: ReadonlyMap<string, Definition>;
}

/** One node of a Markdown tree as elements. Raw HTML is shown as the text it is. */
export function MarkdownNode({ node, definitions }: NodeProps): React.ReactNode {
  const inside = "children" in node ? <Children node={node} definitions={definitions} /> : undefined;
  switch (node.type) {
    case "root":
    case "tableRow":
    case "tableCell":
      return inside;
    case "paragraph":
      return <p>{inside}</p>;
    case "heading":
      return <Heading depth={node.depth}>{inside}</Heading>;
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
      return <CodeBlock text={node.value} language={node.lang ?? undefined} />;
    case "blockquote":
      return <blockquote>{inside}</blockquote>;
    case "list":
      return <ItemList node={node} definitions={definitions} />;
    case "listItem":
      return (
        <li>
          <Mark checked={node.checked} />
          {inside}
        </li>
      );
    case "thematicBreak":
      return <hr />;
    case "break":
      return <br />;
    case "table":
      return <DataTable node={node} definitions={definitions} />;
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
        <div className="footnote">
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
}: { readonly node: Extract<Nodes, { children: unknown }> } & Pick<NodeProps, "definitions">): React.ReactNode {
  const isTight = node.type === "listItem" && node.spread !== true;
  // A node's place is its identity: texts only grow.
  return node.children.map((child, index) => {
    // In a tight list the paragraphs are no paragraphs.
    if (isTight && child.type === "paragraph") return <Children key={index} node={child} definitions={definitions} />;
    if (child.type === "html" && node.type !== "paragraph" && node.type !== "heading") return <p key={index}>{child.value}</p>;
    return <MarkdownNode key={index} node={child} definitions={definitions} />;
  });
}

/** The page's own headings are the two levels above. */
function Heading({ depth, children }: { readonly depth: number; readonly children: React.ReactNode }): React.JSX.Element {
  if (depth === 1) return <h3>{children}</h3>;
  if (depth === 2) return <h4>{children}</h4>;
  if (depth === 3) return <h5>{children}</h5>;
  return <h6>{children}</h6>;
}

function ItemList({ node, definitions }: NodeProps<List>): React.JSX.Element {
  const items = <Children node={node} definitions={definitions} />;
  if (node.ordered === true) return <ol start={node.start ?? 1}>{items}</ol>;
  const isTasks = node.children.some((item) => typeof item.checked === "boolean");
  return <ul className={isTasks ? "tasks" : undefined}>{items}</ul>;
}

function Mark({ checked }: { readonly checked: boolean | null | undefined }): React.ReactNode {
  if (typeof checked !== "boolean") return null;
  return (
    <>
      <span aria-hidden="true">{checked ? "☑ " : "☐ "}</span>
      <span className="sr-only">{checked ? "Done: " : "Open: "}</span>
    </>
  );
}

/** A wide table scrolls by itself. */
function DataTable({ node, definitions }: NodeProps<Table>): React.JSX.Element {
  const [head, ...rows] = node.children;
  const classOf = (index: number): string | undefined => alignClass(node.align?.[index]);
  return (
    <ScrollBox className="table-scroll" label="Table">
      <table>
        <thead>
          <tr>
            {head?.children.map((cell, index) => (
              <th key={index} className={classOf(index)}>
                <MarkdownNode node={cell} definitions={definitions} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, rowIndex) => (
            <tr key={rowIndex}>
              {row.children.map((cell, index) => (
                <td key={index} className={classOf(index)}>
                  <MarkdownNode node={cell} definitions={definitions} />
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

/** Opens elsewhere and does not tell where it was. Anything but the web and mail stays text. */
function ExternalLink({ url, children }: { readonly url: string | undefined; readonly children: React.ReactNode }): React.JSX.Element {
  if (url === undefined || !/^(https?|mailto):/i.test(url)) return <span>{children}</span>;
  return (
    <a href={url} target="_blank" rel="noopener noreferrer">
      {children}
    </a>
  );
}

/** An image whose bytes stand in the answer itself: showing it asks nobody. SVG is left out, because it is a document. */
function isDataImage(url: string | undefined): boolean {
  return url !== undefined && /^data:image\/(?:png|jpeg|gif|webp);base64,[a-z0-9+/=\s]+$/i.test(url);
}

/** A remote image would tell its server when and where an answer is read, so it is a link. */
function ImageLink({ url, alt }: { readonly url: string | undefined; readonly alt: string | null | undefined }): React.JSX.Element {
  if (isDataImage(url)) return <ImageButton url={url} name={alt || "Image"} />;
  return <ExternalLink url={url}>{alt === null || alt === undefined || alt === "" ? "Image" : `Image: ${alt}`}</ExternalLink>;
}
