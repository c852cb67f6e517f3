import { expect, test } from "vitest";
import { renderText } from "./render-text.ts";

const ALLOWED = /<(?!\/?(?:del|h[1-6]|blockquote|p|a|ul|ol|li|strong|em|code|hr|br|table|tr|th|td|pre)\b)/;

test("a plain text is sent without HTML, and marks of HTML stay as they are", () => {
  expect(renderText("a <b> & c")).toEqual([{ body: "a <b> & c", userIds: [] }]);
});

test("styles are HTML, with a plain text that can be read", () => {
  expect(renderText("**Hello** & `x`")).toEqual([
    { body: "**Hello** & `x`", html: "<strong>Hello</strong> &amp; <code>x</code>", userIds: [] },
  ]);
});

test("people are named outside code, once each", () => {
  const mentions = [{ id: "@bob:x", name: "Bob" }];
  const [rendered] = renderText("ask @Bob, `@Bob` and @Bobby", { mentions });
  expect(rendered?.userIds).toEqual(["@bob:x"]);
  expect(rendered?.html).toContain('ask <a href="https://matrix.to/#/%40bob%3Ax">@Bob</a>, <code>@Bob</code> and @Bobby');
});

test("only tags and attributes of the platform are used", () => {
  const source =
    "# T\n\n1. a\n2. b\n\n- [x] c\n\n> q\n\n| a | b |\n|:--|--:|\n| 1 | 2 |\n\n```ts\nx\n```\n\n---\n\n![alt](https://x.y/z.png) ~~s~~ *e* <script>alert(1)</script>";
  const html = renderText(source)
    .map((one) => one.html)
    .join("");
  expect(html).not.toMatch(ALLOWED);
  expect(html).not.toContain("align=");
  expect(html).toContain("&lt;script&gt;");
});
