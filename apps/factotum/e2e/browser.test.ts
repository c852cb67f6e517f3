import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { callTools, sayText } from "@factotum/testing-providers";
import { expect, test, vi } from "vitest";
import { BROWSER_TIMEOUT, refOf, startBrowserScene } from "./browser-scene.ts";
import { startGuestScene } from "./guest-scene.ts";
import { startWebScene } from "./web-scene.ts";
import { processesBelow, stillRunning } from "./processes.ts";

test("reads a page, fills its form, follows it, and knows which refs are stale", BROWSER_TIMEOUT, async () => {
  await using scene = await startBrowserScene();
  const { use, product, web } = scene;
  web.serve("/next", (request, response) => void response.end(`<title>Next</title><p>Got ${new URL(request.url ?? "", web.url).search}`));
  const page = web.serve(
    "/form",
    `<title>A form</title><h1>Tea</h1><a href="/next?from=link">More</a>
     <form action="/next"><input name="kind" aria-label="Kind"><select name="size" aria-label="Size"><option>small<option>large</select><button>Order</button></form>
     <iframe srcdoc="<button onclick='this.textContent=&quot;pressed&quot;'>Inner</button>"></iframe>
     <p style="opacity:0">invisible words</p><p hidden>hidden words</p><script>console.log("hello console")</script>`,
  );
  expect(await use({ action: "status" })).toContain("is not running");
  expect(await use({ action: "open", url: page })).toMatch(/^Title: A form\nTab: t1\nURL: /);
  const snapshot = await use({ action: "snapshot" });
  expect(snapshot).toContain('heading "Tea"');
  expect(snapshot).toContain(`/url: ${web.url}/next?from=link`);
  expect(snapshot).toContain("invisible words");
  expect(snapshot).not.toContain("hidden words");
  const inner = refOf(snapshot, '"Inner"');
  expect(inner).toMatch(/^s1f\d+e\d+$/);
  expect(await use({ action: "act", kind: "click", ref: inner })).toContain(`Clicked ${inner}`);
  expect(await use({ action: "console" })).toContain("log: hello console");
  expect(await use({ action: "screenshot", path: "shots/page.png" })).toMatch(/Saved as shots\/page\.png \(\d+ bytes\)\.\n\[image\]$/);
  expect((await readFile(join(product.home, "workspace/shots/page.png"))).subarray(1, 4).toString()).toBe("PNG");
  expect(await use({ action: "pdf", path: "page.pdf" })).toContain("Saved as page.pdf");
  expect((await readFile(join(product.home, "workspace/page.pdf"))).subarray(0, 4).toString()).toBe("%PDF");
  const [kind = "", size = "", button = ""] = ['"Kind"', '"Size"', '"Order"'].map((name) => refOf(snapshot, name));
  expect(await use({ action: "act", kind: "fill", fields: [{ ref: kind, text: "green" }] })).toContain("Filled 1 fields");
  expect(await use({ action: "act", kind: "select", ref: size, values: ["large"] })).toContain("Selected 1");
  expect(await use({ action: "act", kind: "click", ref: button })).toContain("Title: Next");
  expect(web.asked).toContain("/next?kind=green&size=large");
  const begun = performance.now();
  expect(await use({ action: "act", kind: "hover", ref: button })).toContain("is stale");
  expect(performance.now() - begun).toBeLessThan(8_000);
  expect(await use({ action: "snapshot" })).toContain("Got ?kind=green&size=large");
  expect(await use({ action: "act", kind: "hover", ref: kind })).toContain("is stale");
  expect(await use({ action: "act", kind: "evaluate", script: "1+1" })).toContain("tools.browser.evaluate");
  expect(await use({ action: "navigate" })).toBe("navigate needs url.");
  expect(await use({ action: "open", url: "file:///etc/passwd" })).toContain("Only http and https");
  // Another conversation has tabs of its own in the same browser.
  expect(await use({ action: "tabs" }, "two")).toBe("No tab is open.");
  const running = await processesBelow(product.pid);
  expect(running.length).toBeGreaterThan(3);
  expect(await use({ action: "stop" })).toBe("The browser was stopped.");
  expect(await stillRunning(running)).toEqual([]);
  expect(await readdir(join(product.home, "browsers/run"))).toEqual([]);
});

test("dialogs, popups, downloads and uploads", BROWSER_TIMEOUT, async () => {
  await using scene = await startBrowserScene({ maxTabs: 2 });
  const { use, product, web } = scene;
  web.serve(
    "/file",
    (_request, response) =>
      void response.writeHead(200, { "content-disposition": 'attachment; filename="../../re port.csv"' }).end("a,b\n1,2\n"),
  );
  web.serve("/popup", "<title>Popup</title><p>popped");
  const page = web.serve(
    "/page",
    `<title>Page</title><button onclick="this.textContent=String(confirm('Sure?'))">Ask</button>
     <a href="/file">Get</a><a href="/popup" target="_blank" rel="noopener">Pop</a>
     <input type="file" aria-label="Upload" onchange="this.files[0].text().then((text)=>document.title='got '+text)">`,
  );
  await use({ action: "open", url: page });
  const snapshot = await use({ action: "snapshot" });
  const click = async (name: string): Promise<string> => use({ action: "act", kind: "click", ref: refOf(snapshot, name) });
  expect(await click('"Ask"')).toContain('The page shows a dialog (confirm): "Sure?"');
  expect(await use({ action: "snapshot" })).toContain("Answer it with the action dialog first");
  expect(await use({ action: "dialog", accept: true })).toContain("Accepted the dialog");
  const downloaded = await click('"Get"');
  expect(downloaded).toMatch(/The page has sent the file "[^"/]*re port\.csv" \(8 bytes\)/);
  const path = / It is at (\S+)\]/.exec(downloaded)?.[1] ?? "";
  expect(path.startsWith(join(product.home, "media/inbound/"))).toBe(true);
  expect(await readFile(path, "utf8")).toBe("a,b\n1,2\n");
  await writeFile(join(product.home, "workspace/note.txt"), "my note");
  expect(await use({ action: "upload", ref: refOf(snapshot, '"Upload"'), paths: ["note.txt"] })).toContain("Gave the file to the page");
  expect(await use({ action: "upload", ref: refOf(snapshot, '"Upload"'), paths: ["/etc/hostname"] })).not.toContain("Gave");
  expect(await use({ action: "snapshot" })).toContain("Title: got my note");
  const again = await use({ action: "snapshot" });
  expect(await use({ action: "act", kind: "click", ref: refOf(again, '"Pop"') })).toContain("opened the tab t2");
  expect(await use({ action: "tabs" })).toMatch(/- t1: .*\n\* t2: .*\/popup/);
  expect(await use({ action: "open", url: page })).toContain("2 tabs are open; close one first");
  await use({ action: "focus", tab: "t1" });
  expect(await use({ action: "act", kind: "click", ref: refOf(again, '"Pop"') })).toContain("which was closed: 2 tabs are open");
  expect(await use({ action: "close", tab: "t2" })).toContain("Closed t2");
});

test("a page that asks at once, and a file that does not end, hold nothing up", BROWSER_TIMEOUT, async () => {
  await using scene = await startBrowserScene();
  const { use, web, product } = scene;
  const asking = web.serve("/asking", `<title>Asking</title><script>alert("one"); document.title = String(prompt("two"))</script><p>after`);
  const asked = await use({ action: "open", url: asking });
  expect(asked).toContain('The page shows a dialog (alert): "one"');
  expect(asked).not.toContain("still loads");
  expect(await use({ action: "screenshot" })).toContain("Answer it with the action dialog first");
  expect(await use({ action: "dialog", accept: true })).toContain('The page shows a dialog (prompt): "two"');
  expect(await use({ action: "dialog", accept: true, text: "three" })).toContain("Title: three");
  expect(await use({ action: "snapshot" })).toContain("after");
  expect(await use({ action: "dialog", accept: true })).toContain("The tab shows no dialog");
  let finish = (): void => undefined;
  web.serve("/slow", (_request, response) => {
    // Browsers wait for enough bytes to guess a type, unless they know it already.
    response
      .writeHead(200, { "content-type": "application/zip", "content-disposition": 'attachment; filename="slow.zip"' })
      .write("x".repeat(2_000));
    finish = () => void response.end("last");
  });
  await use({ action: "navigate", url: web.serve("/offer", `<title>Offer</title><a href="/slow">Get</a>`) });
  const link = refOf(await use({ action: "snapshot" }), '"Get"');
  expect(await use({ action: "act", kind: "click", ref: link })).toContain("slow.zip is still on its way");
  finish();
  const path = await vi.waitUntil(async () => / It is at (\S+)\]/.exec(await use({ action: "tabs" }))?.[1], { timeout: 60_000 });
  expect(await readFile(path, "utf8")).toBe(`${"x".repeat(2_000)}last`);
  expect(path.startsWith(join(product.home, "media/inbound/"))).toBe(true);
});

test("a page that sends files without being asked is refused most of them", BROWSER_TIMEOUT, async () => {
  await using scene = await startBrowserScene();
  const { use, web } = scene;
  web.serve("/file", (_request, response) => {
    response.writeHead(200, { "content-disposition": 'attachment; filename="flood.txt"' }).end("flood");
  });
  const begin = Promise.withResolvers<void>();
  web.serve("/begin", (_request, response) => void begin.promise.then(() => response.end("begin")));
  const page = web.serve(
    "/page",
    `<title>Flood</title><script>fetch("/begin").then(() => {
      for (let n = 0; n < 30; n++) document.body.append(Object.assign(document.createElement("iframe"), { src: "/file?" + n }));
    })</script><body>`,
  );
  expect(await use({ action: "open", url: page })).toContain("Title: Flood");
  begin.resolve();
  await expect.poll(() => web.asked.filter((path) => path.startsWith("/file?")).length).toBe(30);
  const answers: string[] = [];
  await vi.waitUntil(
    async () =>
      answers.push(await use({ action: "tabs" })) > 0 && answers.some((text) => text.includes("which was refused: 10 are waiting")),
    { timeout: 60_000 },
  );
  for (const text of answers) expect(text.split(" It is at ").length - 1).toBeLessThanOrEqual(10);
});

test("profiles keep their logins apart, also after the browser has ended", BROWSER_TIMEOUT, async () => {
  await using scene = await startBrowserScene({ profiles: ["shopping"] });
  const { use, web } = scene;
  const login = web.serve("/login", (_request, response) => {
    response.writeHead(200, { "content-type": "text/html", "set-cookie": "who=anna; Max-Age=3600" }).end("<title>In</title>");
  });
  const who = web.serve("/who", ({ headers }, response) => {
    response.writeHead(200, { "content-type": "text/html" }).end(`<title>${headers.cookie ?? "nobody"}</title>`);
  });
  expect(await use({ action: "profiles" })).toBe("default: not running\nshopping: not running");
  await use({ action: "open", url: login });
  expect(await use({ action: "navigate", url: who })).toContain("Title: who=anna");
  expect(await use({ action: "open", url: who, profile: "shopping" })).toContain("Title: nobody");
  expect(await use({ action: "profiles" })).toBe("default: running\nshopping: running");
  expect(await use({ action: "stop" })).toBe("The browser was stopped.");
  expect(await use({ action: "profiles" })).toBe("default: not running\nshopping: running");
  expect(await use({ action: "open", url: who })).toContain("Title: who=anna");
  expect(await use({ action: "open", url: who, profile: "bank" })).toContain("There is no profile bank; there are: default, shopping.");
});

test("is found by tool_search, used through tool_call, and what it brings can be sent to a chat", BROWSER_TIMEOUT, async () => {
  await using web = await startWebScene();
  const file = web.serve("/file", (_request, response) => {
    response.writeHead(200, { "content-disposition": 'attachment; filename="report.csv"' }).end("a,b\n1,2\n");
  });
  const browser = { enabled: true, allowPrivate: [new URL(web.url).host] };
  await using people = await startGuestScene({}, { extra: { tools: { exec: { mode: "full" }, browser } } });
  const { model, feishu } = people;
  model.respond((request) => {
    const newest = JSON.stringify(request.body?.["messages"]).split(`"Get ${file}"`).at(-1) ?? "";
    const kept = / It is at (\S+?)\]/.exec(newest)?.[1];
    if (newest.includes("Saved as ")) return sayText("Here it is.\nMEDIA:report.csv");
    if (kept !== undefined) return callTools({ name: "browser", arguments: { action: "save", paths: [kept], path: "report.csv" } });
    if (!newest.includes("## browser")) return callTools({ name: "tool_search", arguments: { query: "browser" } });
    return callTools({ name: "tool_call", arguments: { name: "browser", arguments: { action: "open", url: file } } });
  });
  await people.say("ou_owner", `Get ${file}`, { count: 2 });
  const offered = (model.requests[0]?.body?.["tools"] ?? []) as unknown as readonly { readonly name: string }[];
  expect(offered.map(({ name }) => name)).not.toContain("browser");
  expect(feishu.sent.map(({ messageType }) => messageType)).toEqual(["text", "file"]);
  expect([...feishu.uploads.values()].map(({ bytes }) => Buffer.from(bytes).toString())).toEqual(["a,b\n1,2\n"]);
});

test("without a browser the tool says what to install", BROWSER_TIMEOUT, async () => {
  await using scene = await startBrowserScene({ executable: "/nowhere/chromium" });
  const { use, web } = scene;
  expect(await use({ action: "open", url: web.url })).toContain(
    "There is no program at tools.browser.executable (/nowhere/chromium). Tell the owner: install Chromium (Debian and Ubuntu: apt install chromium)",
  );
});
