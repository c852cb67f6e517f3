import { checkContents } from "../slack/checks.ts";
import { readAsterisks } from "./read-asterisks.ts";
import { checkCharacters, checkLength, type DialectRules } from "./dialect-rules.ts";

const MAX_TEXT = 40_000;
const REFERENCE = /<([^<>]*)>/g;
const MASS_MENTION = /@(?:channel|here|everyone)\b/i;

/** Slack's markup, by its documentation: `&`, `<` and `>` are entities outside of references, and a reference is a link or one person. */
export const SLACK_MRKDWN: DialectRules = {
  name: "Slack mrkdwn",
  check(message) {
    checkCharacters(message);
    checkLength(message.length, MAX_TEXT, "characters");
    for (const [, reference = ""] of message.matchAll(REFERENCE)) checkReference(reference);
    const rest = message.replaceAll(REFERENCE, "");
    if (/[<>]/.test(rest.replaceAll(/^[\s\d.•☐☑]*>+ ?/gm, ""))) throw new Error("a bare < or >");
    if (/&(?!(?:amp|lt|gt);)/.test(message)) throw new Error("a bare &");
    if (MASS_MENTION.test(rest)) throw new Error("a mention of everybody");
    if ((rest.match(/```/g)?.length ?? 0) % 2 === 1) throw new Error("an unclosed code block");
  },
  shown: (message) => slackShown(message),
};

/** A message of Slack as JSON of `chat.postMessage`: its text, or its blocks. */
export const SLACK_BODY: DialectRules = {
  name: "Slack blocks",
  check(message) {
    const { text, blocks } = readBody(message);
    checkContents({ text, ...(blocks !== undefined && { blocks: JSON.stringify(blocks) }) }, { isEdit: true });
    for (const part of sectionsOf(message)) SLACK_MRKDWN.check(part);
  },
  shown: (message) => sectionsOf(message).map(slackShown).join("\n"),
};

interface Body {
  readonly text: string;
  readonly blocks?: readonly { readonly text?: { readonly type?: string; readonly text?: string } }[];
}

function readBody(message: string): Body {
  return JSON.parse(message) as Body;
}

function sectionsOf(message: string): readonly string[] {
  const { text, blocks } = readBody(message);
  return blocks === undefined ? [text] : blocks.flatMap((block) => (block.text?.type === "mrkdwn" ? [block.text.text ?? ""] : []));
}

function checkReference(reference: string): void {
  if (/^[@#][A-Z0-9]+$/.test(reference)) return;
  const [address = "", ...label] = reference.split("|");
  if (!/^(?:https?:\/\/|mailto:|tel:)\S+$/i.test(address)) throw new Error(`the reference <${reference}>`);
  if (label.length > 1) throw new Error(`a second | in <${reference}>`);
  if (label.length === 1 && label[0]?.trim() === "") throw new Error("a link without a text");
}

function slackShown(message: string): string {
  return readAsterisks(message)
    .map(({ character }) => character)
    .join("");
}
