import { formsOf, isRecord, markOf, type SchemaNode, shapeOf } from "../src/ui/schema-form/schema-node.ts";

/** The name of each entry of a map in the values. */
export const ENTRY = "entry";

/** Values with one entry in each list and map; together they have every form of every union. */
export function fullValues(schema: SchemaNode): readonly unknown[] {
  return Array.from({ length: formsIn(schema) }, (_, pick) => valueOf(schema, pick));
}

/** Number of combinations of forms on the way to a value. */
function formsIn(node: SchemaNode): number {
  const shape = shapeOf(node);
  switch (shape.type) {
    case "group":
      return most([...shape.properties.map((one) => one.node), ...(shape.others === undefined ? [] : [shape.others])]);
    case "map":
      return formsIn(shape.entry);
    case "list":
      return formsIn(shape.item);
    case "union":
      return shape.forms.length * most(shape.forms);
    default:
      return 1;
  }
}

function most(nodes: readonly SchemaNode[]): number {
  return Math.max(1, ...nodes.map(formsIn));
}

function valueOf(node: SchemaNode, pick: number): unknown {
  const shape = shapeOf(node);
  switch (shape.type) {
    case "group": {
      const mark = markOf(node);
      const entries = shape.properties.flatMap(({ key, node: child }) => {
        const value = valueOf(child, pick);
        return value === undefined ? [] : [[key, value] as const];
      });
      const others = shape.others === undefined ? [] : [[ENTRY, valueOf(shape.others, pick)] as const];
      return Object.fromEntries([...(mark === undefined ? [] : [mark]), ...entries, ...others]);
    }
    case "map":
      return { [ENTRY]: valueOf(shape.entry, pick) };
    case "list":
      return [valueOf(shape.item, pick)];
    case "union":
      return valueOf(shape.forms[pick % shape.forms.length] ?? {}, Math.floor(pick / shape.forms.length));
    case "choice":
      return shape.choices[0];
    case "switch":
      return true;
    case "number":
      return 1;
    default:
      return "x";
  }
}

/** The keys of a schema, read as it is written: `<name>` and `[]` stand for what the person chooses. Those that only say which form an object has are left out. */
export function keysOf(schema: SchemaNode): readonly string[] {
  const keys = new Set<string>();
  const visit = (node: SchemaNode, at: string): void => {
    const forms = formsOf(node);
    if (["env", "file", "exec"].every((key) => forms.some(({ properties = {} }) => key in properties))) return;
    for (const { properties = {}, items, additionalProperties, required = [] } of forms) {
      for (const [key, child] of Object.entries(properties)) {
        const place = at === "" ? key : `${at}.${key}`;
        if (!("const" in child && required.includes(key))) keys.add(place);
        visit(child, place);
      }
      if (items !== undefined) visit(items, `${at}[]`);
      if (isRecord(additionalProperties)) visit(additionalProperties as SchemaNode, `${at}.<name>`);
    }
  };
  visit(schema, "");
  return [...keys];
}

/** The keys of the controls in a drawn form, in the same way. */
export function drawnKeys(html: string): ReadonlySet<string> {
  const keys = [...html.matchAll(/data-key="([^"]*)"/g)].map(([, key = ""]) => key.replaceAll(/\[\d+\]/g, "[]"));
  return new Set(keys.map((key) => key.replaceAll(new RegExp(`(?<=[.\\]])${ENTRY}(?=$|[.[])`, "g"), "<name>")));
}
