import { isRecord, markOf, type SchemaNode, shapeOf } from "./schema-node.ts";

/** A value of a node that a person has not filled in yet. */
export function emptyOf(node: SchemaNode): unknown {
  const shape = shapeOf(node);
  switch (shape.type) {
    case "group":
    case "map": {
      const mark = markOf(node);
      return mark === undefined ? {} : { [mark[0]]: mark[1] };
    }
    case "union":
      return emptyOf(shape.forms[0] ?? {});
    case "list":
    case "texts":
    case "choices":
      return [];
    case "switch":
      return false;
    case "choice":
      return shape.choices[0];
    case "number":
      return typeof node.default === "number" ? node.default : 0;
    default:
      return "";
  }
}

/** What choosing a form of a union writes: the value that its control shows then. `undefined`: an empty text or number is no value yet. */
export function startOf(form: SchemaNode, inherited: unknown): unknown {
  const { type } = shapeOf(form);
  if (type === "switch") return (inherited ?? form.default) === true;
  const empty = emptyOf(form);
  return isRecord(empty) || Array.isArray(empty) || type === "choice" ? empty : undefined;
}
