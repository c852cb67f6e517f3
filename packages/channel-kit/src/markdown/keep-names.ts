import type { Nodes, Root } from "mdast";

/** Two underscores around a name of several words, such as the mark of a redacted secret: a name of code, not emphasis. */
const NAME = /^__[A-Za-z\d]+(?:_[A-Za-z\d]+)+__$/;

/** Turns `__some_name__`, which Markdown reads as bold, back into text. Changes the tree. Offsets are those of `source`. */
export function keepNames(root: Root, source: string): Root {
  const rest: Nodes[] = [root];
  for (let node = rest.pop(); node !== undefined; node = rest.pop()) {
    if (!("children" in node)) continue;
    for (const [index, child] of node.children.entries()) {
      const { position } = child;
      const value = child.type === "strong" ? source.slice(position?.start.offset ?? 0, position?.end.offset ?? 0) : "";
      if (NAME.test(value)) node.children[index] = { type: "text", value, ...(position === undefined ? {} : { position }) };
      else rest.push(child);
    }
  }
  return root;
}
