import katex from "katex";
import { createElement } from "react";

const ELEMENTS: ReadonlySet<string> = new Set(
  "math mrow mi mn mo ms mtext mspace msup msub msubsup mfrac msqrt mroot mover munder munderover mtable mtr mtd mpadded mphantom mstyle menclose".split(
    " ",
  ),
);
const ATTRIBUTES: ReadonlySet<string> = new Set(
  "accent accentunder columnalign columnlines columnspacing depth display displaystyle fence form height largeop linethickness lspace mathbackground mathcolor mathsize mathvariant maxsize minsize movablelimits notation rowlines rowspacing rspace scriptlevel separator side stretchy symmetric voffset width".split(
    " ",
  ),
);

/** Renders TeX as MathML elements from an allow list. `undefined` for invalid or unsupported TeX. */
export function renderFormula(tex: string, { display }: { readonly display: boolean }): React.ReactNode {
  let markup: string;
  try {
    markup = katex.renderToString(tex, {
      output: "mathml",
      displayMode: display,
      strict: "ignore",
      trust: false,
      maxSize: 50,
      maxExpand: 1000,
    });
  } catch (error) {
    if (error instanceof katex.ParseError || error instanceof TypeError || error instanceof RangeError) return undefined;
    throw error;
  }
  // The page's policy blocks inline styles, and parsing them would be reported.
  const parsed = new DOMParser().parseFromString(markup.replaceAll(/ style="[^"]*"/g, ""), "text/html");
  const math = parsed.querySelector("math");
  return math === null ? undefined : toElement(math, 0);
}

function toElement(node: Node, key: number): React.ReactNode {
  if (node.nodeType === Node.TEXT_NODE) return node.nodeValue;
  if (!(node instanceof Element)) return null;
  const name = node.localName;
  // The annotation repeats the TeX source.
  if (name === "annotation") return null;
  const children = [...node.childNodes].map(toElement);
  if (name === "semantics") return children;
  if (!ELEMENTS.has(name)) return node.textContent;
  const attributes = [...node.attributes].filter((attribute) => ATTRIBUTES.has(attribute.name));
  return createElement(
    name,
    { key, ...Object.fromEntries(attributes.map(({ name: attribute, value }) => [attribute, value])) },
    ...children,
  );
}
