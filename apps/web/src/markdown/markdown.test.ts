import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import { Markdown } from "./markdown.tsx";
import { plainText } from "./plain-text.ts";

const html = (text: string): string =>
  renderToStaticMarkup(createElement(Markdown, { text }))
    .replace(/^<div class="prose">/, "")
    .replace(/<\/div>$/, "");

test("inline marks, breaks and entities", () => {
  expect(html("**a** *b* ~~c~~ `d<` &amp; e\\\nf")).toBe(
    "<p><strong>a</strong> <em>b</em> <del>c</del> <code>d&lt;</code> &amp; e<br/>f</p>",
  );
});

test("raw HTML is text: no element, no attribute, no script", () => {
  expect(html('<img src=x onerror="a()">\n\n<script>b()</script>')).toBe(
    "<p>&lt;img src=x onerror=&quot;a()&quot;&gt;</p><p>&lt;script&gt;b()&lt;/script&gt;</p>",
  );
});

test("links lead to the web and to mail only, and give nothing away", () => {
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

test("an image is a link with its description, never a request", () => {
  expect(html("![A cat](https://a.example/cat.png)")).toMatch(/^<p><a href="https:\/\/a\.example\/cat\.png"[^>]*>Image: A cat<\/a><\/p>$/);
  expect(html("![A dot](data:image/png;base64,AA)")).toContain('<img src="data:image/png;base64,AA" alt="A dot"');
  expect(html("![](data:image/svg+xml;base64,AA)")).toBe("<p><span>Image</span></p>");
});

test("lists: tight, loose, numbered from where they say, tasks", () => {
  expect(html("- a\n- b")).toBe("<ul><li>a</li><li>b</li></ul>");
  expect(html("3. a\n\n   b")).toBe('<ol start="3"><li><p>a</p><p>b</p></li></ol>');
  expect(html("- [x] done\n- [ ] open")).toMatch(/Done: .*done.*Open: .*open/);
});

test("code keeps its text and names its language; headings stay below those of the page", () => {
  expect(html("```ts\nconst a = `<b>`;\n```")).toMatch(
    /<figcaption class="code-bar"><span>ts<\/span>.*<code>const a = `&lt;b&gt;`;<\/code>/,
  );
  expect(html("# One\n\n###### Six")).toBe("<h3>One</h3><h6>Six</h6>");
});

test("tables keep their alignment without inline styles", () => {
  const table = html("| a | b |\n|---|--:|\n| 1 | 2 |");
  expect(table).toContain('<th class="align-right">b</th>');
  expect(table).toContain('<td class="align-right">2</td>');
  expect(table).not.toContain("style=");
});

test("read aloud, a text has its words and none of its marks", () => {
  expect(plainText("# Hi\n\n**bold** [link](https://a.example) ![cat](x)\n\n- `one`\n- two\n\n| a | b |\n|--|--|\n| 1 | 2 |")).toBe(
    "Hi\nbold link cat\none\ntwo\na\nb\n1\n2",
  );
});
