import type { Root } from "mdast";
import { fromMarkdown } from "mdast-util-from-markdown";
import { gfmFromMarkdown } from "mdast-util-gfm";
import { gfm } from "micromark-extension-gfm";
import { keepNames } from "./keep-names.ts";
import { mathSyntax } from "./math-syntax.ts";
import { mathTree } from "./math-tree.ts";

const EXTENSIONS = { extensions: [gfm(), mathSyntax], mdastExtensions: [gfmFromMarkdown(), mathTree] };

/** Parses GitHub's dialect of Markdown, with formulas; `__a_name__` is no emphasis, but the name. Every text is valid. */
export function parseMarkdown(text: string): Root {
  return keepNames(fromMarkdown(text, EXTENSIONS), text);
}
