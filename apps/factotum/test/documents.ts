import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { fromMarkdown } from "mdast-util-from-markdown";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));

/** A fenced block of a document. */
export interface Fence {
  /** The first word of the info string, such as `sh`; empty without one. */
  readonly language: string;
  /** The other words of the info string. */
  readonly marks: readonly string[];
  readonly text: string;
  /** Line of the opening fence, counted from 1. */
  readonly line: number;
}

/** Inline code of a document. */
export interface InlineCode {
  readonly text: string;
  /** Counted from 1. */
  readonly line: number;
}

/** Fences and inline code of one Markdown document. */
export interface DocumentCode {
  readonly fences: readonly Fence[];
  readonly codes: readonly InlineCode[];
}

interface Node {
  readonly type: string;
  readonly children?: readonly Node[];
  readonly value?: string;
  readonly lang?: string | null | undefined;
  readonly meta?: string | null | undefined;
  readonly position?: { readonly start: { readonly line: number } } | undefined;
}

/** The Markdown files of the repository, relative to its root; `patterns` are git pathspecs. */
export function listDocuments(...patterns: readonly string[]): string[] {
  return trackedFiles(patterns).filter((file) => file.endsWith(".md"));
}

/** The files of the repository as absolute paths; `patterns` are git pathspecs. */
export function listFiles(...patterns: readonly string[]): string[] {
  return trackedFiles(patterns).map((file) => join(ROOT, file));
}

function trackedFiles(patterns: readonly string[]): string[] {
  const args = ["ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", ...patterns];
  const listed = execFileSync("git", args, { cwd: ROOT, encoding: "utf8", maxBuffer: 16 * 1024 ** 2 }).split("\0");
  return [...new Set(listed)].filter((file) => file !== "" && existsSync(join(ROOT, file))).sort();
}

/** The text of a document, by its path from the root. */
export function readDocument(file: string): string {
  return readFileSync(join(ROOT, file), "utf8");
}

/** The fenced blocks and inline code of a Markdown text, in order. */
export function parseCode(source: string): DocumentCode {
  const nodes = flatten(fromMarkdown(source));
  const lineOf = (node: Node): number => node.position?.start.line ?? 0;
  return {
    fences: nodes
      .filter(({ type }) => type === "code")
      .map((node) => ({
        language: node.lang ?? "",
        marks: (node.meta ?? "").split(/\s+/).filter((word) => word !== ""),
        text: node.value ?? "",
        line: lineOf(node),
      })),
    codes: nodes.filter(({ type }) => type === "inlineCode").map((node) => ({ text: node.value ?? "", line: lineOf(node) })),
  };
}

function flatten(node: Node): Node[] {
  return [node, ...(node.children ?? []).flatMap(flatten)];
}
