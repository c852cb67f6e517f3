import { afterAll, describe, expect, test } from "vitest";
import { fakeClock, FAKE_CLOCK_START } from "../../../test/web-rig.ts";
import type { PageFormat } from "./page-job.ts";
import { PageReader, type PageReading } from "./page-reader.ts";

const TIMEOUT = { timeout: 60_000 };
const URL_OF_PAGE = "https://docs.example/guide/page.html";
const FILLER =
  "<p>The kettle was put on the stove, and the leaves were weighed with care before anything else was done that day.</p>".repeat(5);

const reader = new PageReader({ clock: fakeClock(FAKE_CLOCK_START) });
afterAll(() => reader.close());

function read(
  html: string | Uint8Array,
  options: { readonly contentType?: string; readonly format?: PageFormat } = {},
): Promise<PageReading> {
  const bytes = typeof html === "string" ? new TextEncoder().encode(html) : html;
  const { contentType = "text/html", format = "markdown" } = options;
  return reader.readPage({ bytes, contentType, url: URL_OF_PAGE, format }, { signal: new AbortController().signal });
}

async function textOf(...args: Parameters<typeof read>): Promise<string> {
  const reading = await read(...args);
  expect(reading.type).toBe("page");
  expect(reading).not.toHaveProperty("plainBecause");
  return reading.type === "page" ? reading.page.text : "";
}

const article = (content: string): string =>
  `<!doctype html><html><head><title>A guide to tea</title></head><body><nav><a href="/">Home</a> <a href="/x">Imprint</a></nav><article><h1>A guide to tea</h1>${FILLER}${content}</article><footer>Copyright</footer></body></html>`;

describe("an article", TIMEOUT, () => {
  test("is its main text with its title, without navigation, scripts and hidden text", async () => {
    const hidden = `<script>alert("SCRIPT")</script><style>p{color:STYLE}</style><p hidden>HIDDEN</p><p style="display: none">NONE</p><p style="font-size:0">SMALL</p><p style="opacity:0">CLEAR</p><!-- COMMENT -->`;
    const reading = await read(article(hidden));
    expect(reading).toMatchObject({ type: "page", page: { title: "A guide to tea" } });
    const text = reading.type === "page" ? reading.page.text : "";
    expect(text).toContain("The kettle was put on the stove");
    expect(text).not.toMatch(/Imprint|Copyright|SCRIPT|STYLE|HIDDEN|NONE|SMALL|CLEAR|COMMENT/);
  });

  test("has absolute addresses that can be read back", async () => {
    const text = await textOf(
      article(
        `<p>See <a href="../a_b.html?x=1&amp;y=2#z">this</a>, <a href="/wiki/Tea_(drink)">that</a>, <a href="javascript:alert(1)">no script</a> and <img src="cup.png" alt="a cup">.</p>`,
      ),
    );
    expect(text).toContain("[this](https://docs.example/a_b.html?x=1&y=2#z)");
    expect(text).toContain("[that](<https://docs.example/wiki/Tea_(drink)>)");
    expect(text).toContain("![a cup](https://docs.example/guide/cup.png)");
    expect(text).toContain("no script");
    expect(text).not.toContain("javascript:");
  });

  test("resolves addresses by the base of the page", async () => {
    const text = await textOf(article(`<p><a href="b">x</a></p>`).replace("<head>", '<head><base href="https://other.example/a/">'));
    expect(text).toContain("[x](https://other.example/a/b)");
  });

  test("keeps tables, escaping their bars", async () => {
    const rows =
      "<thead><tr><th>Tea</th><th>Minutes</th></tr></thead><tbody><tr><td>Green | white</td><td>2<br>or 3</td></tr><tr><td><a href='/b'>Black</a></td><td>4</td></tr></tbody>";
    expect(await textOf(article(`<table>${rows}</table>`))).toContain(
      "| Tea | Minutes |\n| --- | --- |\n| Green \\| white | 2 or 3 |\n| [Black](https://docs.example/b) | 4 |",
    );
  });

  test("does not take a table of the layout for data", async () => {
    const text = await textOf(article("<table><tr><td><ul><li>one</li></ul></td><td><h2>Two</h2></td></tr></table>"));
    expect(text).not.toContain("| ---");
    expect(text).toMatch(/- +one/);
    expect(text).toContain("## Two");
  });

  test("keeps code with its language and its fences", async () => {
    const text = await textOf(
      article(
        '<pre><code class="language-ts">const tea = `a`;\n  if (tea) {}\n</code></pre><pre>plain <b>block</b></pre><div class="highlight-source-sh"><pre>echo hi</pre></div><pre><code class="lang-md">```\nfence\n```</code></pre>',
      ),
    );
    expect(text).toContain("```ts\nconst tea = `a`;\n  if (tea) {}\n```");
    expect(text).toContain("```\nplain block\n```");
    expect(text).toContain("```sh\necho hi\n```");
    expect(text).toContain("````md\n```\nfence\n```\n````");
  });

  test("is plain on request", async () => {
    const text = await textOf(article("<h2>Second &amp; last</h2><p>One<br>two</p><ul><li>a</li><li>b</li></ul>"), { format: "text" });
    expect(text).toContain("Second & last\n");
    expect(text).toMatch(/One\ntwo/);
    expect(text).not.toMatch(/[#<>]|Imprint/);
  });
});

describe("another page", TIMEOUT, () => {
  test("is read as a whole", async () => {
    const text = await textOf(
      "<html><body><h1>Teas</h1><ul><li><a href='/g'>Green</a></li><li><a href='/b'>Black</a></li></ul><p hidden>HIDDEN</p></body></html>",
    );
    expect(text).toMatch(/^# Teas\n\n- +\[Green\]\(https:\/\/docs\.example\/g\)\n- +\[Black\]/);
    expect(text).not.toContain("HIDDEN");
  });

  test.each(["", "<html></html>", "just text", "<p>fragment", "<frameset><frame src=x></frameset>", "<table><tr><td>a<td>b", "\0\u0001"])(
    "of the form %j is read without an error",
    async (html) => {
      const reading = await read(html);
      expect(reading.type).toBe("page");
      if (html.includes("text") || html.includes("fragment")) expect(reading).toMatchObject({ page: { text: html.replace("<p>", "") } });
    },
  );

  test("names where it sends its readers, and does not follow", async () => {
    const refresh = (content: string) =>
      read(`<html><head><meta http-equiv="Refresh" content="${content}"></head><body>Wait</body></html>`);
    expect(await refresh("0; url=http://127.0.0.1/x")).toMatchObject({ page: { refresh: "http://127.0.0.1/x", text: "Wait" } });
    expect(await refresh("5;URL='/next'")).toMatchObject({ page: { refresh: "https://docs.example/next" } });
    for (const content of ["30", "0; url=javascript:alert(1)", ""])
      expect((await refresh(content)) as object).not.toHaveProperty("page.refresh");
  });
});

describe("an encoding", TIMEOUT, () => {
  const page = (charset: string): string => `<html><head>${charset}<title>Ünï</title></head><body><p>Grüße</p></body></html>`;
  const latin1 = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, "latin1"));

  test.each([
    ["the header", latin1(page("")), "text/html; charset=ISO-8859-1"],
    ["the page", latin1(page('<meta charset="iso-8859-1">')), "text/html"],
    ["the page's old form", latin1(page('<meta http-equiv="Content-Type" content="text/html; charset=windows-1252">')), "text/html"],
    ["the header before the page", new TextEncoder().encode(page('<meta charset="iso-8859-1">')), "text/html; charset=utf-8"],
    [
      "a byte order mark before the header",
      Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(page(""), "utf16le")]),
      "text/html; charset=utf-8",
    ],
    ["nothing", new TextEncoder().encode(page("")), "text/html"],
    ["a name that is no encoding", new TextEncoder().encode(page('<meta charset="klingon">')), "text/html"],
  ])("is taken from %s", async (_name, bytes, contentType) => {
    expect(await read(bytes, { contentType })).toMatchObject({ page: { title: "Ünï", text: "Grüße" } });
  });
});

describe("a hostile page", TIMEOUT, () => {
  test("that is too deep for a parser is its plain text, and the next page is read", async () => {
    const reading = await read(`${"<div>".repeat(20_000)}the core${"</div>".repeat(20_000)}`);
    expect(reading).toMatchObject({ type: "page", page: { text: "the core" }, plainBecause: expect.any(String) as string });
    expect(await textOf(article("<p>after</p>"))).toContain("after");
  });

  test("that takes too long ends at the limit", async () => {
    const slow = new PageReader({ clock: fakeClock(FAKE_CLOCK_START), timeoutMs: 1 });
    const html = new TextEncoder().encode("<p>a<b>".repeat(150_000));
    const reading = await slow.readPage(
      { bytes: html, contentType: "", url: URL_OF_PAGE, format: "markdown" },
      { signal: new AbortController().signal },
    );
    expect(reading).toMatchObject({ type: "failed", message: "it took longer than 0.001 s" });
    await slow.close();
  });

  test("that takes too much memory is its plain text", async () => {
    const small = new PageReader({ clock: fakeClock(FAKE_CLOCK_START), maxMemoryMb: 24, timeoutMs: 30_000 });
    const html = new TextEncoder().encode(`<p>begin${"<p class=a>x<i>y</i>".repeat(90_000)}`);
    const reading = await small.readPage(
      { bytes: html, contentType: "", url: URL_OF_PAGE, format: "markdown" },
      { signal: new AbortController().signal },
    );
    expect(reading).toMatchObject({ type: "page", plainBecause: "it took too much memory" });
    expect(reading.type === "page" && reading.page.text.startsWith("begin")).toBe(true);
    await small.close();
  });
});

describe("the thread", TIMEOUT, () => {
  test("starts with the first page and ends when idle", async () => {
    const idled = Promise.withResolvers<() => void>();
    const clock = fakeClock(FAKE_CLOCK_START);
    const own = new PageReader({
      clock: {
        schedule: (delayMs, callback) => {
          if (delayMs !== 777) return clock.schedule(delayMs, callback);
          idled.resolve(callback);
          return { [Symbol.dispose]: () => undefined };
        },
      },
      idleMs: 777,
    });
    expect(own.isLoaded).toBe(false);
    const signal = new AbortController().signal;
    await own.readPage({ bytes: new TextEncoder().encode("<p>x"), contentType: "", url: URL_OF_PAGE, format: "text" }, { signal });
    expect(own.isLoaded).toBe(true);
    (await idled.promise)();
    await own.close();
    expect(own.isLoaded).toBe(false);
  });

  test("reads concurrent pages one after the other, and fails those that wait when it closes", async () => {
    const readings = await Promise.all(["one", "two", "three"].map((text) => read(`<p>${text}`)));
    expect(readings.map((reading) => (reading.type === "page" ? reading.page.text : ""))).toEqual(["one", "two", "three"]);
    const own = new PageReader({ clock: fakeClock(FAKE_CLOCK_START) });
    const late = { bytes: new TextEncoder().encode("<p>late"), contentType: "", url: URL_OF_PAGE, format: "text" } as const;
    const waiting = own.readPage(late, { signal: new AbortController().signal });
    await own.close();
    expect(await waiting).toEqual({ type: "failed", message: "it was stopped" });
  });

  test("an abort ends a page", async () => {
    const abort = new AbortController();
    const bytes = new TextEncoder().encode("<p>a<b>".repeat(150_000));
    const reading = reader.readPage({ bytes, contentType: "", url: URL_OF_PAGE, format: "markdown" }, { signal: abort.signal });
    abort.abort();
    expect(await reading).toEqual({ type: "failed", message: "it was stopped" });
  });
});
