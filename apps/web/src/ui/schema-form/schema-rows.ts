import { keyText } from "./key-text.ts";
import { descriptionOf, formsOf, type SchemaNode, shapeOf } from "./schema-node.ts";

/** One key of a schema. */
export interface SchemaRow {
  /** `agents.list[].model`, `mcp.servers.<name>.url`. */
  readonly key: string;
  readonly title: string;
  readonly description: string;
}

/** Stands for a name that the person chooses. */
const NAME = "<name>";

/** Every key of a schema in its order, each once, without those that only say which form an object has. */
export function schemaRows(schema: SchemaNode): readonly SchemaRow[] {
  const rows = new Map<string, SchemaRow>();
  visit(schema, [], rows);
  return [...rows.values()];
}

function visit(node: SchemaNode, path: readonly string[], rows: Map<string, SchemaRow>): void {
  const shape = shapeOf(node);
  switch (shape.type) {
    case "group":
      for (const { key, node: child } of shape.properties) add(child, [...path, key], rows);
      if (shape.others !== undefined) visit(shape.others, [...path, NAME], rows);
      return;
    case "map":
      visit(shape.entry, [...path, NAME], rows);
      return;
    case "list":
      visit(shape.item, [...path, "[]"], rows);
      return;
    case "union":
      for (const form of formsOf(node)) visit(form, path, rows);
      return;
    default:
  }
}

function add(node: SchemaNode, path: readonly string[], rows: Map<string, SchemaRow>): void {
  const key = keyText(path).replaceAll('["[]"]', "[]");
  if (!rows.has(key)) rows.set(key, { key, title: node.title ?? path.at(-1) ?? "", description: descriptionOf(node) });
  visit(node, path, rows);
}

/** The rows with every word, in their key, title or description. */
export function findRows(rows: readonly SchemaRow[], words: string): readonly SchemaRow[] {
  const wanted = words
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "");
  if (wanted.length === 0) return [];
  return rows.filter(({ key, title, description }) => {
    const text = `${key} ${title} ${description}`.toLowerCase();
    return wanted.every((word) => text.includes(word));
  });
}
