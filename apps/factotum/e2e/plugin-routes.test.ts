import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runCommand, startProduct, type CommandOutcome } from "@factotum/testing-product";
import { afterEach, beforeEach, expect, test } from "vitest";
import { packPlugin } from "../test/plugin-package.ts";
import { processesBelow } from "./processes.ts";

let [folder, home] = ["", ""];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "factotum-routes-"));
  home = join(folder, "home");
});
afterEach(async () => rm(folder, { recursive: true, force: true }));

const run = async (...args: readonly string[]): Promise<CommandOutcome> => runCommand(args, { home, env: { npm_config_offline: "true" } });

const REPORT = { method: "GET", path: "/report" };
const HOOK = { method: "POST", path: "/hook", public: true };
const OPEN = { method: "GET", path: "/open/*", public: true };

/** Packs a plugin that counts requests to its route `/hook`, and reports them. */
async function packSite(version: string, routes: readonly object[]): Promise<string> {
  const entry = `export const plugin = {
    id: "site",
    setup(api) {
      api.route("GET", "/report", async () => ({ headers: { "content-type": "application/json" }, body: JSON.stringify(await api.state.get("words") ?? []) }));
      api.route("POST", "/hook", async ({ body, headers }) => {
        if (body === "throw") throw new Error("broken wing");
        await api.state.set("words", [...(await api.state.get("words") ?? []), body + ":" + String(headers.authorization)]);
        return { status: 202, body: "taken" };
      });
      ${routes.includes(OPEN) ? `api.route("GET", "/open/*", ({ path, query }) => ({ headers: { "content-type": "text/html" }, body: path + "<br>" + query.q }));` : ""}
    },
  };`;
  return packPlugin(folder, { id: "site", version, entry, provides: [{ type: "routes", routes }] });
}

test("routes of a plugin, from their confirmation to their removal", { timeout: 300_000 }, async () => {
  await using product = await startProduct({ home });
  const { url, token, pid } = product;
  const ask = async (path: string, init: RequestInit = {}, key?: string): Promise<readonly [number, string]> => {
    const headers = key === undefined ? {} : { authorization: `Bearer ${key}` };
    const response = await fetch(`${url}/plugins/site${path}`, { ...init, headers });
    return [response.status, await response.text()];
  };
  const statusOf = async (...args: Parameters<typeof ask>): Promise<number> => (await ask(...args))[0];
  const post = (body: string): RequestInit => ({ method: "POST", body });

  const added = await run("plugins", "add", await packSite("1.0.0", [REPORT, HOOK]), "--yes");
  expect(added).toMatchObject({ code: 0, stdout: "site 1.0.0 is installed.\n" });
  expect(added.stderr).toContain("site 1.0.0 provides routes of site (GET /report, public POST /hook).");
  expect(added.stderr).toContain("Its public routes answer everyone who reaches the gateway, without a token.");

  // What is refused starts no process.
  expect(await statusOf("/report")).toBe(401);
  expect(await statusOf("/report", {}, "wrong-token-0123456789012345")).toBe(401);
  expect(await statusOf("/missing")).toBe(401);
  expect(await statusOf("/missing", {}, token)).toBe(404);
  expect(await statusOf("/hook", { method: "PUT" })).toBe(405);
  expect(await statusOf("/hook", post("x".repeat(262_145)))).toBe(413);
  expect(await statusOf("/open/a")).toBe(401);
  expect(await processesBelow(pid)).toEqual([]);

  expect(await ask("/hook", post("hello"))).toEqual([202, "taken"]);
  expect(await statusOf("/hook", post("again"), token)).toBe(202);
  expect(await ask("/report", {}, token)).toEqual([200, '["hello:undefined","again:undefined"]']);
  expect(await ask("/report", { method: "HEAD" }, token)).toEqual([200, ""]);
  expect((await processesBelow(pid)).length).toBeGreaterThan(0);

  const failed = await ask("/hook", post("throw"));
  expect(failed[0]).toBe(502);
  expect(failed[1]).not.toContain("wing");
  expect((await run("status")).stdout).toContain("The plugin site has failed: it failed: broken wing.");
  expect(await readFile(join(home, "logs/gateway.log"), "utf8")).toContain("broken wing");

  // A further public route is asked about; a running gateway serves it once it is confirmed.
  const wider = await packSite("1.1.0", [REPORT, HOOK, OPEN]);
  const unasked = await run("plugins", "update", wider);
  expect(unasked).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("New since 1.0.0: routes of site (public GET /open/*).") as string,
  });
  expect(await statusOf("/open/a")).toBe(401);
  expect(await run("plugins", "update", wider, "--yes")).toMatchObject({ code: 0 });
  const page = await fetch(`${url}/plugins/site/open/a?q=%3Cb%3E`);
  expect([page.status, await page.text()]).toEqual([200, "/open/a<br><b>"]);
  expect(page.headers.get("content-security-policy")).toMatch(/^sandbox; default-src 'none';/);
  expect(page.headers.get("content-type")).toBe("text/html; charset=utf-8");

  // It is there again after a restart, with its state.
  expect(await product.end("SIGTERM")).toMatchObject({ code: 0 });
  await using second = await startProduct({ home });
  const at = `${second.url}/plugins/site`;
  const owned = { headers: { authorization: `Bearer ${second.token}` } };
  expect(await processesBelow(second.pid)).toEqual([]);
  expect(await (await fetch(`${at}/report`, owned)).json()).toEqual(["hello:undefined", "again:undefined"]);

  expect(await run("config", "set", "plugins.deny", '["site"]')).toMatchObject({ code: 0 });
  await expect.poll(async () => (await fetch(`${at}/report`, owned)).status).toBe(404);
  expect(await run("config", "unset", "plugins.deny")).toMatchObject({ code: 0 });
  await expect.poll(async () => (await fetch(`${at}/report`, owned)).status).toBe(200);
  expect(await run("plugins", "remove", "site")).toMatchObject({ code: 0 });
  expect((await fetch(`${at}/report`, owned)).status).toBe(404);
  expect((await fetch(`${at}/hook`, { method: "POST" })).status).toBe(401);
});
