import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createToolRig, textOf, type ToolRig } from "../../test/tool-rig.ts";
import { webAccess } from "../../test/web-rig.ts";
import type { PageReader } from "./page/page-reader.ts";
import type { WebAccess } from "./web-access.ts";
import { createWebFetchTool } from "./web-fetch-tool.ts";

let rig: ToolRig;
let web: WebAccess & { readonly pages: PageReader };
let answer: RequestListener;
let asked: string[];
const server = createServer((request, response) => {
  asked.push(request.url ?? "");
  answer(request, response);
});

beforeEach(async () => {
  rig = await createToolRig();
  web = webAccess({});
  asked = [];
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});
afterEach(async () => {
  await web.pages.close();
  await rig[Symbol.asyncDispose]();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const place = (path = "/"): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`;
const serve = (body: string | Uint8Array, contentType?: string, status = 200): void => {
  answer = (_request, response) =>
    void response.writeHead(status, contentType === undefined ? {} : { "content-type": contentType }).end(body);
};

function fetchPage(
  args: Record<string, string | number> = {},
  options: { readonly owner?: boolean; readonly access?: WebAccess; readonly maxResultChars?: number } = {},
) {
  const { owner = true, access = web, maxResultChars = 16_000 } = options;
  return rig.call(createWebFetchTool({ web: access, maxResultChars }), { url: place(), ...args }, { run: { owner } });
}

test("returns a page as Markdown with its title and its final address", async () => {
  answer = (request, response) =>
    void (request.url === "/"
      ? response.writeHead(302, { location: "/page" }).end()
      : response.writeHead(200, { "content-type": "text/html" }).end("<title>Tea</title><h1>Tea</h1><p>See <a href='/more'>more</a>."));
  const result = await fetchPage();
  expect(textOf(result)).toBe(`Title: Tea\nURL: ${place("/page")}\n\n# Tea\n\nSee [more](${place("/more")}).`);
  expect(result.details).toMatchObject({
    url: place("/page"),
    status: 200,
    contentType: "text/html",
    title: "Tea",
    offset: 0,
    leftChars: 0,
  });
});

test("returns the part of a page that came before the connection broke", async () => {
  answer = (_request, response) => {
    response.writeHead(200, { "content-type": "text/plain", "content-length": "1000" });
    response.write("The beginning.", () => response.destroy());
  };
  const result = await fetchPage();
  expect(result.isError).not.toBe(true);
  expect(textOf(result)).toMatch(/^URL: .*\n\[Only its first 14 bytes came \(.+\)\.\]\n\nThe beginning\.$/);
});

test("fails where the connection broke before any text", async () => {
  answer = (_request, response) => void response.writeHead(200, { "content-length": "1000" }).write("", () => response.destroy());
  expect(await fetchPage()).toMatchObject({ isError: true });
});

test("names the owner's key only where the address is private", async () => {
  const closed = { ...web, fetch: { ...web.fetch, allowPrivate: [] } };
  expect(textOf(await fetchPage({ url: "ftp://127.0.0.1/a" }, { access: closed }))).toBe(
    "Nothing was fetched: only http and https addresses are fetched.",
  );
});

test("is marked as text of others", () => {
  expect(createWebFetchTool({ web, maxResultChars: 1_000 }).traits).toMatchObject({ effect: "read", output: "untrusted", network: true });
});

test.each(["file:///etc/passwd", "notaurl", "ftp://example.com/", "http://me:pw@example.com/"])(
  "%s is refused before anybody is asked, and the error is the tool's own text",
  async (url) => {
    const call = { id: "c1", name: "web_fetch", arguments: { url } };
    const tool = createWebFetchTool({ web, maxResultChars: 1_000 });
    const { run } = rig;
    expect(await tool.inspect?.(call, run)).toMatchObject({
      type: "invalid",
      message: expect.stringMatching(/^Nothing was fetched/) as string,
    });
    expect(await fetchPage({ url })).toMatchObject({ isError: true, untrusted: false });
    expect(asked).toEqual([]);
  },
);

test("an address that can be fetched is shown as it is, and decided on whatever the offset", async () => {
  const tool = createWebFetchTool({ web, maxResultChars: 1_000 });
  const inspect = (args: Record<string, string | number>) => tool.inspect?.({ id: "c1", name: "web_fetch", arguments: args }, rig.run);
  const expected = { type: "action", text: "Fetch https://example.com/a", binding: { url: "https://example.com/a" } };
  expect(await inspect({ url: "https://example.com/a" })).toEqual(expected);
  expect(await inspect({ url: "https://example.com/a", offset: 100 })).toEqual(expected);
});

test("an error that a server answered is text of others", async () => {
  serve("no", "text/plain", 404);
  expect(await fetchPage()).not.toHaveProperty("untrusted");
});

test.each([
  ["application/json; charset=utf-8", '{\n  "a": "<b>"\n}'],
  ["text/plain", "a\n\n\n\nb  c"],
  ["text/markdown", "# a\n"],
  ["application/ld+json", "{}"],
  [undefined, "no type"],
])("returns %s as it is", async (contentType, body) => {
  serve(body, contentType);
  expect(textOf(await fetchPage())).toBe(`URL: ${place()}\n\n${body}`);
});

test("finds out what an answer without a type is", async () => {
  serve("<!DOCTYPE html><p>page</p>");
  expect(textOf(await fetchPage())).toBe(`URL: ${place()}\n\npage`);
  serve(new Uint8Array([1, 2, 0, 3]), "application/octet-stream");
  expect(textOf(await fetchPage())).toContain("is a file: application/octet-stream, 4 bytes");
});

test("names an image with its size, without reading it", async () => {
  answer = (_request, response) => {
    response.writeHead(200, { "content-type": "image/png", "content-length": "900000000" });
    response.flushHeaders();
  };
  const result = await fetchPage();
  expect(result.isError).toBeUndefined();
  expect(textOf(result)).toMatch(/is a file: image\/png, 900000000 bytes\. This tool returns text only\. To open it, .*curl.*message/);
  expect(result.details).toEqual({ url: place(), contentType: "image/png", sizeBytes: 900_000_000 });
});

test("shows a long text in windows", async () => {
  const text = Array.from({ length: 3_000 }, (_, index) => `line ${index}`).join("\n");
  serve(text, "text/plain");
  let collected = "";
  for (let offset = 0; ;) {
    const result = await fetchPage({ offset }, { maxResultChars: 5_000 });
    expect(textOf(result).length).toBeLessThanOrEqual(5_000);
    const [, shown = "", next] = /\n\n([^]*?)(?:\n\[Characters \d+-\d+ of \d+\. Go on with offset (\d+)\.\])?$/.exec(textOf(result)) ?? [];
    collected += shown;
    if (next === undefined) break;
    offset = Number(next);
  }
  expect(collected).toBe(text);
  expect(asked.length).toBeGreaterThan(5);
  expect(textOf(await fetchPage({ maxChars: 100 }))).toMatch(/\n\n[^]{100}\n\[Characters 0-100 of/);
  const past = await fetchPage({ offset: text.length });
  expect(past.isError).toBe(true);
  expect(textOf(past)).toContain(`has ${text.length} characters`);
});

test("cuts within no character", async () => {
  serve("🍵".repeat(200), "text/plain");
  expect(textOf(await fetchPage({ maxChars: 101 }))).toContain(`\n\n${"🍵".repeat(50)}\n[Characters 0-100 of 400.`);
});

test("reads at most the configured bytes, and says so", async () => {
  serve("x".repeat(30_000), "text/plain");
  const text = textOf(await fetchPage({}, { access: { ...web, fetch: { ...web.fetch, maxBytes: 10_000 } } }));
  expect(text).toContain("[Only its first 10,000 bytes were read.]");
  expect(text.match(/x+/)?.[0]).toHaveLength(10_000);
});

test.each([
  [404, /answered 404 \(Not Found\)/],
  [401, /may need a login/],
  [403, /may need a login/],
  [429, /Try again later/],
  [503, /answered 503/],
  [599, /answered 599 \(unknown status\)/],
])("status %s is an error", async (status, message) => {
  serve("<p>INJECTED</p>", "text/html", status);
  const result = await fetchPage();
  expect(result.isError).toBe(true);
  expect(textOf(result)).toMatch(message);
  expect(textOf(result)).not.toContain("INJECTED");
});

test("says so if a page has no text without scripts, or sends its reader elsewhere", async () => {
  serve("<html><body><div id=root></div><script>render()</script></body></html>", "text/html");
  expect(textOf(await fetchPage())).toContain("[The page has no text without its scripts.]");
  serve('<meta http-equiv="refresh" content="0;url=/next"><p>Wait', "text/html");
  expect(textOf(await fetchPage())).toContain(`[The page sends its readers on to ${place("/next")}]`);
  expect(asked).toEqual(["/", "/"]);
});

test("says so if the main text could not be read", async () => {
  serve(`${"<div>".repeat(20_000)}core`, "text/html");
  expect(textOf(await fetchPage())).toMatch(/\[This is all text of the page, without its structure, because .+\]\n\ncore$/);
}, 30_000);

describe("private places", () => {
  test("are closed unless the owner has opened them, and then open to the owner's turns alone", async () => {
    serve("inside", "text/plain");
    const closed = { ...web, fetch: { ...web.fetch, allowPrivate: [] } };
    for (const [access, owner] of [
      [closed, true],
      [closed, false],
      [web, false],
    ] as const) {
      const result = await fetchPage({}, { access, owner });
      expect(result.isError).toBe(true);
      expect(textOf(result)).toMatch(/not on the open internet.*tools\.web\.fetch\.allowPrivate/);
    }
    expect(asked).toEqual([]);
    expect(textOf(await fetchPage())).toContain("inside");
  });

  test("are not reached by a redirect from an open one", async () => {
    answer = (_request, response) => void response.writeHead(302, { location: "http://127.0.0.2:9/" }).end();
    expect(textOf(await fetchPage())).toContain("127.0.0.2 is not on the open internet");
  });
});

test.each([{ url: "" }, { url: "x".repeat(5_000) }, { format: "html" }, { offset: -1 }, { maxChars: 1 }, { uri: "http://a.example" }])(
  "refuses %j",
  async (args) => {
    serve("x", "text/plain");
    expect((await fetchPage(args)).isError).toBe(true);
    expect(asked).toEqual([]);
  },
);
