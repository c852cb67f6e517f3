import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import { Markdown } from "./markdown.tsx";
import { plainText } from "./plain-text.ts";

/** Without text directions, which are on every paragraph. */
const html = (text: string): string =>
  renderToStaticMarkup(createElement(Markdown, { text }))
    .replace(/^<div class="prose">/, "")
    .replace(/<\/div>$/, "")
    .replaceAll(' dir="auto"', "");

test("gives each paragraph, list, cell and heading the direction of its text, and code left to right", () => {
  const markup = renderToStaticMarkup(
    createElement(Markdown, { text: "# א\n\nאבג.\n\n- ב\n\n> ג\n\n| ד |\n|---|\n| ה |\n\n```\nx\n```\n" }),
  );
  for (const name of ["h2", "p", "ul", "li", "blockquote", "th", "td"]) expect(markup).toContain(`<${name} dir="auto"`);
  expect(markup).toContain('<figure class="code" dir="ltr"');
});

test("shows the mark of a redacted secret as it is", () => {
  expect(html("The key is __factotum_redacted__ and **secret**.")).toBe(
    "<p>The key is __factotum_redacted__ and <strong>secret</strong>.</p>",
  );
});

test("shows the source of a formula until it can be rendered", () => {
  expect(html("Area \\(a^2\\).")).toBe('<p>Area <code class="formula-source">\\(a^2\\)</code>.</p>');
  expect(html("$$\na\n$$")).toBe('<code class="formula-source display">$$\na\n$$</code>');
});

test("colours a diff by its lines without losing text", () => {
  const markup = html("```diff\n@@ -1 +1 @@\n-old\n+new\n same\n```");
  expect(markup).toContain('<span class="token-removed">-old\n</span><span class="token-added">+new\n</span> same');
});

test("folds long code, and not short code", () => {
  const code = (lines: number): string => html(`\`\`\`\n${"x\n".repeat(lines)}\`\`\``);
  expect(code(41)).toContain(">Fold<");
  expect(code(40)).not.toContain(">Fold<");
});

test("renders inline marks, breaks and entities", () => {
  expect(html("**a** *b* ~~c~~ `d<` &amp; e\\\nf")).toBe(
    "<p><strong>a</strong> <em>b</em> <del>c</del> <code>d&lt;</code> &amp; e<br/>f</p>",
  );
});

test("shows raw HTML as text: no element, no attribute, no script", () => {
  expect(html('<img src=x onerror="a()">\n\n<script>b()</script>')).toBe(
    "<p>&lt;img src=x onerror=&quot;a()&quot;&gt;</p><p>&lt;script&gt;b()&lt;/script&gt;</p>",
  );
});

test("links lead to web and mail addresses only, without a referrer", () => {
  const link = (text: string, url: string) => `<a href="${url}" target="_blank" rel="noopener noreferrer">${text}</a>`;
  expect(html("[a](https://a.example/x)")).toBe(`<p>${link("a", "https://a.example/x")}</p>`);
  expect(html("see https://b.example.")).toBe(`<p>see ${link("https://b.example", "https://b.example")}.</p>`);
  expect(html("[m](mailto:a@b.example)")).toContain("mailto:a@b.example");
  for (const url of [
    "javascript:alert(1)",
    "JaVaScRiPt:alert(1)",
    "data:text/html,x",
    "file:///etc/passwd",
    "notes.md",
    "#token=x",
    "//c.example",
  ]) {
    expect(html(`[x](${url})`)).toBe("<p><span>x</span></p>");
  }
  expect(html("[r][name]\n\n[name]: https://d.example")).toBe(`<p>${link("r", "https://d.example")}</p>`);
});

test("renders an image as a link with its description, without a request", () => {
  expect(html("![A cat](https://a.example/cat.png)")).toMatch(/^<p><a href="https:\/\/a\.example\/cat\.png"[^>]*>Image: A cat<\/a><\/p>$/);
  expect(html("![A dot](data:image/png;base64,AA)")).toContain('<img src="data:image/png;base64,AA" alt="A dot"');
  expect(html("![](data:image/svg+xml;base64,AA)")).toBe("<p><span>Image</span></p>");
});

test("renders lists: tight, loose, numbered from their start, tasks", () => {
  expect(html("- a\n- b")).toBe("<ul><li>a</li><li>b</li></ul>");
  expect(html("3. a\n\n   b")).toBe('<ol start="3"><li><p>a</p><p>b</p></li></ol>');
  expect(html("- [x] done\n- [ ] open")).toMatch(/Done: .*done.*Open: .*open/);
});

test("keeps the text of code and names its language; headings stay below the page's and skip no level", () => {
  expect(html("```ts\nconst a = `<b>`;\n```")).toMatch(
    /<figcaption class="code-bar"><span class="code-language">ts<\/span>.*<code><span class="code-chunk">const a = `&lt;b&gt;`;<\/span><\/code>/,
  );
  expect(html("# One\n\n###### Six\n\n## Two\n\n### Three\n\n# Again")).toBe(
    "<h2>One</h2><h3>Six</h3><h3>Two</h3><h4>Three</h4><h2>Again</h2>",
  );
  expect(html("### Begins deep\n\n> ##### Quoted")).toBe("<h2>Begins deep</h2><blockquote><h3>Quoted</h3></blockquote>");
});

test("tables keep their alignment without inline styles", () => {
  const table = html("| a | b |\n|---|--:|\n| 1 | 2 |");
  expect(table).toContain('<th class="align-right">b</th>');
  expect(table).toContain('<td class="align-right">2</td>');
  expect(table).not.toContain("style=");
});

test("the text to read aloud has all words and no marks", () => {
  expect(plainText("# Hi\n\n**bold** [link](https://a.example) ![cat](x)\n\n- `one`\n- two\n\n| a | b |\n|--|--|\n| 1 | 2 |")).toBe(
    "Hi\nbold link cat\none\ntwo\na\nb\n1\n2",
  );
});
