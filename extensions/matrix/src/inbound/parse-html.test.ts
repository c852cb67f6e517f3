import fc from "fast-check";
import { expect, test } from "vitest";
import { parseHtml } from "./parse-html.ts";

const markdown = (html: string): string => parseHtml(html, { selfId: "@bot:x" }).text;

test.each([
  ["one<br>two", "one\ntwo"],
  ["<p>one</p><p>two</p>", "one\n\ntwo"],
  ["a &lt;b&gt; &amp; &quot;c&quot; &#x1F44D; &nope;", 'a <b> & "c" 👍 &nope;'],
  ["<b>bold</b> <em>soft</em> <del>gone</del>", "**bold** *soft* ~~gone~~"],
  ['<a href="https://example.com/x">a link</a>', "[a link](https://example.com/x)"],
  ['<a href="javascript:alert(1)">a link</a>', "a link (javascript:alert(1))"],
  ["<h2>Title</h2>text", "## Title\n\ntext"],
  ["<ul><li>one</li><li>two<ul><li>three</li></ul></li></ul>", "- one\n- two\n  - three"],
  ['<ol start="3"><li><p>one</p></li><li>two</li></ol>', "3. one\n4. two"],
  ["<blockquote><p>quoted</p></blockquote>mine", "> quoted\n\nmine"],
  ['<pre><code class="language-ts">const a = "&lt;b&gt;";\n\nb();\n</code></pre>', '```ts\nconst a = "<b>";\n\nb();\n```'],
  ["<script>alert(1)</script>kept<!-- dropped -->", "kept"],
  ["a < b and <unclosed", "a < b and <unclosed"],
  ['<img src="mxc://x/y" alt=":cat:"> hi', ":cat: hi"],
  ["*stars* _lines_", "*stars* _lines_"],
])("%s", (html, expected) => {
  expect(markdown(html)).toBe(expected);
});

test("a table keeps its cells", () => {
  const text = markdown("<table><thead><tr><th>a</th><th>b</th></tr></thead><tbody><tr><td>1</td><td><b>2</b></td></tr></tbody></table>");
  expect(text).toBe("| a | b |\n| --- | --- |\n| 1 | **2** |");
});

test("links to people are mentions, and the bot's at the beginning is dropped", () => {
  const html =
    '<a href="https://matrix.to/#/@bot:x">Bot</a>: ask <a href="matrix:u/bob:x">Bob</a> and <a href="https://matrix.to/#/@bot:x">Bot</a>';
  expect(parseHtml(html, { selfId: "@bot:x" })).toEqual({
    text: "ask @Bob and @Bot",
    mentions: [
      { id: "@bot:x", name: "Bot" },
      { id: "@bob:x", name: "Bob" },
    ],
  });
});

test("any text is read without an error, whatever its tags", () => {
  const parts = fc.constantFrom(
    "<b>",
    "</b>",
    "<p>",
    "</p>",
    "<ul>",
    "<li>",
    "</ul>",
    "<pre>",
    "</pre>",
    "<code>",
    "<table>",
    "<tr>",
    "<td>",
    "</td>",
    "<blockquote>",
    "</blockquote>",
    "<br>",
    "<a href='https://x.y'>",
    "</a>",
    "text",
    "&amp;",
    "<h1>",
    "</h1>",
    '<a href="',
  );
  fc.assert(
    fc.property(fc.array(parts, { maxLength: 60 }), (tags) => {
      const html = tags.join(" ");
      expect(markdown(html).includes("text")).toBe(
        html.replaceAll(/<a href=" [^>]*>/g, "").includes("text") || markdown(html).includes("text"),
      );
    }),
  );
});

test("time is linear in hostile texts", () => {
  const sinceMs = performance.now();
  for (const part of ['<a "', "<b>", "<ul><li>", "&lt;", "<table><tr><td>", "<pre>", "<!--"])
    markdown(part.repeat(Math.floor(65_536 / part.length)));
  expect(performance.now() - sinceMs).toBeLessThan(10_000);
});
