import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runCommand, startProduct } from "@factotum/testing-product";
import { expect, test } from "vitest";
import { openBrowser, openPage } from "./open-browser.ts";

/** Everything that a page of the gateway's origin could do with it. */
const PAGE = `<!doctype html><title>plugin</title><style>h1 { color: rgb(1, 2, 3) }</style><h1>Report</h1>
<script>document.title = "ran"; localStorage.setItem("stolen", "1");</script>
<script src="/plugins/site/script"></script>
<img src="/plugins/site/picture" onerror="document.title = 'ran'">
<iframe src="/"></iframe>
<form action="/plugins/site/form" method="post"><button>Send</button></form>`;

/** A package whose page does all of that. */
async function writeSite(folder: string): Promise<string> {
  const paths = ["/page", "/script", "/picture"];
  const routes = [...paths.map((path) => ({ method: "GET", path, public: true })), { method: "POST", path: "/form", public: true }];
  const provides = [{ type: "routes", id: "site", entry: "./index.mjs", routes }];
  const path = join(folder, "site");
  await mkdir(path, { recursive: true });
  await writeFile(join(path, "package.json"), JSON.stringify({ name: "site", version: "1.0.0", factotum: { api: 1, provides } }));
  const code = `export const plugin = { id: "site", setup(api) {
    api.route("GET", "/page", () => ({ headers: { "content-type": "text/html" }, body: ${JSON.stringify(PAGE)} }));
    for (const path of ["/script", "/picture"])
      api.route("GET", path, () => ({ headers: { "content-type": "text/javascript" }, body: "document.title = 'ran';" }));
    api.route("POST", "/form", () => ({ body: "sent" }));
  } };`;
  await writeFile(join(path, "index.mjs"), code);
  return path;
}

test("a page of a plugin is shown, and reaches nothing of the gateway's origin", { timeout: 120_000 }, async () => {
  const folder = await mkdtemp(join(tmpdir(), "factotum-plugin-page-"));
  const home = join(folder, "home");
  const browser = await openBrowser();
  try {
    await using product = await startProduct({ home });
    const added = await runCommand(["plugins", "add", await writeSite(folder), "--yes"], { home, env: { npm_config_offline: "true" } });
    expect(added).toMatchObject({ code: 0 });
    const { page, complaints, close } = await openPage(browser, { width: 800 });
    const answered: string[] = [];
    page.on("response", (response) => answered.push(new URL(response.url()).pathname));
    await page.goto(`${product.url}/plugins/site/page`);
    const heading = page.getByRole("heading", { name: "Report" });
    await heading.waitFor();
    expect(await heading.evaluate((element) => getComputedStyle(element).color)).toBe("rgb(1, 2, 3)");
    await page.getByRole("button", { name: "Send" }).click();
    // What is blocked is said on the console.
    await expect.poll(() => complaints.join("\n")).toContain("form");
    expect(await page.title()).toBe("plugin");
    expect(answered).toEqual(["/plugins/site/page"]);
    expect(await page.evaluate(() => globalThis.origin)).toBe("null");
    // The page of the gateway does not run it either.
    await page.goto(product.url);
    const loaded = await page.evaluate(
      async () =>
        new Promise((resolve) => {
          const script = Object.assign(document.createElement("script"), { src: "/plugins/site/script" });
          script.addEventListener("load", () => resolve("loaded"));
          script.addEventListener("error", () => resolve("refused"));
          document.head.append(script);
        }),
    );
    expect(loaded).toBe("refused");
    expect(await page.evaluate(() => localStorage.getItem("stolen"))).toBeNull();
    await close();
  } finally {
    await browser.close();
    await rm(folder, { recursive: true, force: true });
  }
});
