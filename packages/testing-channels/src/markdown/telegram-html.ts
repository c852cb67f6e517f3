import { parseTelegramHtml } from "../telegram/parse-html.ts";
import { checkCharacters, checkLength, type DialectRules } from "./dialect-rules.ts";
import { checkAddress, readHtmlTokens } from "./html-tokens.ts";

/** The tags of the Bot API's HTML style that a message of text uses, with the attributes that each has. */
const ATTRIBUTES: Readonly<Record<string, readonly string[]>> = {
  b: [],
  i: [],
  u: [],
  s: [],
  code: ["class"],
  pre: [],
  a: ["href"],
  blockquote: ["expandable"],
  "tg-spoiler": [],
};
const MAX_LENGTH = 4096;
const MAX_ENTITIES = 100;

/** The HTML style of the Bot API, by its documentation. At most 4,096 characters are shown; of more than 100 entities the rest is ignored. */
export const TELEGRAM_HTML: DialectRules = {
  name: "Telegram HTML",
  check(message) {
    checkCharacters(message);
    const open: string[] = [];
    for (const token of readHtmlTokens(message)) {
      if (token.type === "text") continue;
      if (token.type === "close") {
        open.pop();
        continue;
      }
      checkTag(token.name, token.attributes, open);
      open.push(token.name);
    }
    const { text, entities } = parseTelegramHtml(message);
    checkLength(text.length, MAX_LENGTH, "characters");
    if (text.trim() === "") throw new Error("nothing is shown");
    if (entities.length > MAX_ENTITIES * 10) throw new Error("far more entities than are shown");
  },
  shown: (message) => parseTelegramHtml(message).text,
};

function checkTag(name: string, attributes: ReadonlyMap<string, string>, open: readonly string[]): void {
  const allowed = ATTRIBUTES[name];
  if (allowed === undefined) throw new Error(`the tag ${name}`);
  for (const attribute of attributes.keys()) if (!allowed.includes(attribute)) throw new Error(`the attribute ${attribute} of ${name}`);
  const outer = open.at(-1);
  if (open.includes("code") || (open.includes("pre") && name !== "code")) throw new Error(`${name} in code`);
  if (name === "pre" && open.some((tag) => tag !== "blockquote")) throw new Error("pre in a style");
  if (name === "code" && outer !== "pre" && open.some((tag) => tag !== "blockquote")) throw new Error("code in a style");
  if (name === "blockquote" && open.length > 0) throw new Error("a quote in another tag");
  if (name === "a" && open.includes("a")) throw new Error("a link in a link");
  if (name === "a") checkHref(attributes.get("href"));
  const className = attributes.get("class");
  if (className !== undefined && (outer !== "pre" || !/^language-[\w+#.-]+$/.test(className))) throw new Error(`the class ${className}`);
}

function checkHref(url: string | undefined): void {
  if (url === undefined) throw new Error("a link without an address");
  if (!/^tg:\/\/user\?id=\d+$/.test(url)) checkAddress(url);
}
