import { checkCharacters, type DialectRules } from "./dialect-rules.ts";
import { checkAddress, readHtmlTokens } from "./html-tokens.ts";

const PHRASING: readonly string[] = ["strong", "em", "del", "code", "a", "br"];
const FLOW: readonly string[] = ["p", "h1", "h2", "h3", "h4", "h5", "h6", "blockquote", "pre", "ul", "ol", "table", "hr", ...PHRASING];
/** What each element may contain; text where phrasing is allowed. */
const CONTENT: Readonly<Record<string, readonly string[]>> = {
  body: FLOW,
  blockquote: FLOW,
  li: FLOW,
  ul: ["li"],
  ol: ["li"],
  table: ["tr"],
  tr: ["th", "td"],
  th: PHRASING,
  td: PHRASING,
  pre: ["code"],
  br: [],
  hr: [],
  ...Object.fromEntries(["p", "h1", "h2", "h3", "h4", "h5", "h6", "strong", "em", "del", "code", "a"].map((name) => [name, PHRASING])),
};
const ATTRIBUTES: Readonly<Record<string, Readonly<Record<string, RegExp>>>> = {
  a: { href: /^/ },
  code: { class: /^language-[\w+#.-]+$/ },
  ol: { start: /^\d{1,9}$/ },
  th: { align: /^(?:left|center|right)$/ },
  td: { align: /^(?:left|center|right)$/ },
};
const VOID: ReadonlySet<string> = new Set(["br", "hr"]);
const WITHOUT_TEXT: ReadonlySet<string> = new Set(["ul", "ol", "table", "tr", "pre"]);

/** The body of an HTML mail: elements of text alone, nested as HTML allows it, nothing that is loaded or run. */
export const MAIL_HTML: DialectRules = {
  name: "mail HTML",
  check(message) {
    checkCharacters(message);
    const open: string[] = [];
    for (const token of readHtmlTokens(message)) {
      const outer = open.at(-1) ?? "body";
      if (token.type === "text") {
        if (WITHOUT_TEXT.has(outer) && token.text.trim() !== "") throw new Error(`text in ${outer}`);
      } else if (token.type === "close") {
        if (open.pop() !== token.name) throw new Error(`</${token.name}> closes ${outer}`);
      } else {
        checkElement(token.name, token.attributes, { outer, open });
        if (!VOID.has(token.name)) open.push(token.name);
      }
    }
    if (open.length > 0) throw new Error(`${open.join(", ")} is not closed`);
  },
  shown: (message) => readHtmlTokens(message).reduce((text, token) => (token.type === "text" ? text + token.text : text), ""),
};

function checkElement(
  name: string,
  attributes: ReadonlyMap<string, string>,
  { outer, open }: { readonly outer: string; readonly open: readonly string[] },
): void {
  if (!Object.hasOwn(CONTENT, name)) throw new Error(`the element ${name}`);
  if (CONTENT[outer]?.includes(name) !== true) throw new Error(`${name} in ${outer}`);
  if (name === "a" && open.includes("a")) throw new Error("a link in a link");
  for (const [attribute, value] of attributes) {
    const form = ATTRIBUTES[name]?.[attribute];
    if (form === undefined) throw new Error(`the attribute ${attribute} of ${name}`);
    if (!form.test(value)) throw new Error(`${attribute}="${value}"`);
  }
  if (name === "a") checkAddress(attributes.get("href") ?? "");
}
