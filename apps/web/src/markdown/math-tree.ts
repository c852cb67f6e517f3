import type { Literal } from "mdast";
import type { CompileContext, Extension, Handle } from "mdast-util-from-markdown";

/** A formula in a Markdown tree. */
export interface Formula extends Literal {
  readonly type: "formula";
  /** TeX. */
  value: string;
  /** The source, delimiters included. */
  source: string;
  /** A block of its own. */
  display: boolean;
}

declare module "mdast" {
  interface PhrasingContentMap {
    formula: Formula;
  }
  interface BlockContentMap {
    formula: Formula;
  }
  interface RootContentMap {
    formula: Formula;
  }
}

type Token = Parameters<Handle>[0];

function enterFormula(this: CompileContext, token: Token): undefined {
  this.enter({ type: "formula", value: "", source: "", display: false }, token);
  this.buffer();
}

/** The parts are collected, because the marks of a surrounding quote are between its lines. */
function exitFormula(this: CompileContext, token: Token): undefined {
  const source = this.resume().trim();
  const node = this.stack.at(-1);
  if (node?.type === "formula") {
    node.source = source;
    node.display = !source.startsWith("\\(");
    node.value = source
      .slice(2)
      .replace(/(?:\\[\])]|\$\$)$/, "")
      .trim();
  }
  this.exit(token);
}

/** Creates `formula` nodes from the syntax. */
export const mathTree: Extension = {
  enter: {
    formula: enterFormula,
    formulaData(token) {
      this.config.enter["data"]?.call(this, token);
    },
  },
  exit: {
    formula: exitFormula,
    formulaData(token) {
      this.config.exit["data"]?.call(this, token);
    },
  },
};
