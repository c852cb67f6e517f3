import { SlackRefusal } from "./faults.ts";

const MAX_BLOCKS = 50;
const MAX_SECTION_TEXT = 3_000;
const MAX_TEXT = 40_000;
/** Longest text without blocks of an edited message. */
const MAX_EDIT_TEXT = 4_000;
const MAX_MARKDOWN_TEXT = 12_000;

interface Block {
  readonly type?: unknown;
  readonly text?: { readonly type?: unknown; readonly text?: unknown };
  readonly fields?: readonly { readonly text?: unknown }[];
  readonly elements?: readonly {
    readonly type?: unknown;
    readonly action_id?: unknown;
    readonly value?: unknown;
    readonly text?: { text?: unknown };
  }[];
  readonly label?: { readonly text?: unknown };
  readonly element?: { readonly type?: unknown; readonly options?: readonly unknown[] };
}

/** Refuses contents that the platform refuses; resolves with the blocks. */
export function checkContents(
  fields: Readonly<Record<string, string>>,
  options: { readonly isEdit: boolean },
): { readonly text: string; readonly blocks: readonly unknown[] } {
  const blocks = parseList(fields["blocks"], "invalid_blocks_format") as readonly Block[];
  const text = fields["text"] ?? "";
  if (text === "" && blocks.length === 0) throw new SlackRefusal("no_text");
  if (options.isEdit && blocks.length === 0 && text.length > MAX_EDIT_TEXT) throw new SlackRefusal("msg_too_long");
  checkBlocks(blocks);
  return { text: text.slice(0, MAX_TEXT), blocks };
}

/** Refuses a text of a stream that is too long. */
export function checkMarkdownText(text: string): string {
  if (text.length > MAX_MARKDOWN_TEXT) throw new SlackRefusal("msg_too_long");
  return text;
}

function checkBlocks(blocks: readonly Block[]): void {
  if (blocks.length > MAX_BLOCKS) throw invalid("no more than 50 items allowed");
  const actionIds = new Set<unknown>();
  for (const block of blocks) {
    checkBlock(block);
    for (const { action_id: id } of block.elements ?? []) {
      if (id !== undefined && actionIds.has(id)) throw invalid(`action_id ${JSON.stringify(id)} already exists`);
      actionIds.add(id);
    }
  }
}

function checkBlock(block: Block): void {
  switch (block.type) {
    case "section":
      if (block.text !== undefined) checkText(block.text.text, MAX_SECTION_TEXT);
      if ((block.fields ?? []).length > 10) throw invalid("no more than 10 fields allowed");
      for (const { text } of block.fields ?? []) checkText(text, 2_000);
      return;
    case "header":
      return checkText(block.text?.text, 150);
    case "actions":
      if ((block.elements ?? []).length === 0 || (block.elements ?? []).length > 25) throw invalid("1 to 25 elements allowed");
      for (const { text, value, action_id: id } of block.elements ?? []) {
        checkText(text?.text, 75);
        if (value !== undefined) checkText(value, 2_000);
        checkText(id, 255);
      }
      return;
    case "input":
      checkText(block.label?.text, 2_000);
      if (block.element?.options !== undefined && (block.element.options.length === 0 || block.element.options.length > 100))
        throw invalid("1 to 100 options allowed");
      return;
    case "divider":
    case "rich_text":
    case "context":
      return;
    default:
      throw invalid(`unsupported type: ${String(block.type)}`);
  }
}

function checkText(text: unknown, maxLength: number): void {
  if (typeof text !== "string" || text === "") throw invalid("must be more than 0 characters");
  if (text.length > maxLength) throw invalid(`must be less than ${maxLength + 1} characters`);
}

function invalid(message: string): SlackRefusal {
  return new SlackRefusal("invalid_blocks", { response_metadata: { messages: [`[ERROR] ${message}`] } });
}

/** A list that a form carries as JSON. */
export function parseList(json: string | undefined, error: string): readonly unknown[] {
  if (json === undefined || json === "") return [];
  try {
    const value: unknown = JSON.parse(json);
    if (Array.isArray(value)) return value as unknown[];
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause;
  }
  throw new SlackRefusal(error);
}
