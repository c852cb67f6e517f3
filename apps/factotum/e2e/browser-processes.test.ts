import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Clock, Logger } from "@factotum/agent-contract";
import { createHostRunner } from "@factotum/sandbox";
import { BrowserKeeper } from "@factotum/tools";
import { describe, expect, test } from "vitest";
import { BROWSER_TIMEOUT, refOf, startBrowserScene } from "./browser-scene.ts";
import { systemClock, systemRandom } from "../src/runtime/system-clock.ts";
import { residentMiB, startWebScene } from "./web-scene.ts";
import { processesBelow, stillRunning } from "./processes.ts";

const IDLE_MS = 600_001;
const builtFile = (name: string): string => fileURLToPath(new URL(`../dist/${name}`, import.meta.url));

describe.runIf(process.platform === "linux")("processes of browsers", () => {
  test("hostile pages end within their limits, cost the gateway little memory, and leave no process", BROWSER_TIMEOUT, async () => {
    await using scene = await startBrowserScene();
    const { use, product, web } = scene;
    const rows = Array.from({ length: 10_000 }, (_, index) => `<p>row ${index}</p>`).join("");
    const [normal, large, endless, busy, leaving, popups] = [
      web.serve("/normal", "<title>Normal</title><p>normal"),
      web.serve("/large", `<title>Large</title>${rows}`),
      web.serve("/endless", (_request, response) => {
        response.writeHead(200, { "content-type": "text/html" }).write(`<title>Endless</title><p>first words ${"x".repeat(2_000)}`);
      }),
      web.serve("/busy", "<title>Busy</title><script>for (;;);</script>"),
      web.serve("/leaving", "<title>Leaving</title><script>onbeforeunload=(event)=>event.preventDefault()</script><button>Press</button>"),
      web.serve(
        "/popups",
        "<title>Popups</title><script>for(let n=0;n<50;n++)open('/normal')</script><button onclick=\"for(let n=0;n<50;n++)open('/normal')\">More</button>",
      ),
    ];
    for (let round = 0; round < 3; round += 1) await use({ action: "status" }, `warm-${round}`);
    const before = await residentMiB(product.pid);
    expect(await use({ action: "open", url: normal })).toContain("Title: Normal");
    await use({ action: "navigate", url: large });
    const first = await use({ action: "snapshot" });
    expect(first.length).toBeLessThanOrEqual(16_000);
    const [, offset] = /Go on with offset (\d+)/.exec(first) ?? [];
    expect(await use({ action: "snapshot", offset: Number(offset) })).toMatch(/row \d+/);
    expect(await use({ action: "navigate", url: endless })).toContain("still loads after 20 s");
    expect(await use({ action: "snapshot" })).toContain("first words");
    await use({ action: "navigate", url: leaving });
    const leave = await use({ action: "snapshot" });
    await use({ action: "act", kind: "click", ref: refOf(leave, '"Press"') });
    expect(await use({ action: "navigate", url: popups })).toContain("which was closed: 8 tabs are open");
    await use({ action: "act", kind: "click", ref: refOf(await use({ action: "snapshot", tab: "t1" }), '"More"') });
    expect((await use({ action: "tabs" })).split("\n").length).toBeLessThanOrEqual(8);
    await use({ action: "focus", tab: "t1" });
    await use({ action: "navigate", url: busy });
    // It stays busy; the tool does not.
    expect(await use({ action: "snapshot" })).toMatch(/did not work|cannot be used/);
    expect(await use({ action: "close", tab: "t1" })).toMatch(/Closed t1|cannot be used/);
    await expect.poll(async () => (await residentMiB(product.pid)) - before, { timeout: 60_000, interval: 500 }).toBeLessThanOrEqual(20);
    await use({ action: "stop" });
    expect(await processesBelow(product.pid)).toEqual([]);
  });

  test("a browser that is killed is started again, and a killed gateway leaves none", BROWSER_TIMEOUT, async () => {
    await using scene = await startBrowserScene();
    const { use, product, web } = scene;
    const page = web.serve("/page", "<title>Page</title><p>page");
    await use({ action: "open", url: page });
    const first = await processesBelow(product.pid);
    expect(first.length).toBeGreaterThan(3);
    for (const id of first) killIfThere(id);
    await expect.poll(async () => stillRunning(first)).toEqual([]);
    expect(await use({ action: "status" })).toMatch(/not running|cannot be used/);
    expect(await use({ action: "open", url: page })).toContain("Title: Page");
    const second = await processesBelow(product.pid);
    expect(second.length).toBeGreaterThan(3);
    process.kill(product.pid, "SIGKILL");
    await expect.poll(async () => stillRunning(second), { timeout: 20_000 }).toEqual([]);
  });

  test("an idle browser is ended with all of its processes", BROWSER_TIMEOUT, async () => {
    await using web = await startWebScene();
    const folder = await mkdtemp(join(tmpdir(), "factotum-idle-"));
    let idle: (() => void) | undefined;
    // Only the time without a call passes when the test says so.
    const clock: Clock = {
      ...systemClock,
      schedule: (delayMs, callback) => {
        if (delayMs !== IDLE_MS) return systemClock.schedule(delayMs, callback);
        idle = callback;
        return { [Symbol.dispose]: () => undefined };
      },
    };
    const noted = (): void => undefined;
    const logger: Logger = { debug: noted, info: noted, warn: noted, error: noted, child: () => logger };
    const system = { clock, random: systemRandom, logger };
    const limits = { maxProcesses: 200, maxMemoryBytes: 2 * 1024 ** 3 };
    const runner = createHostRunner({
      ...system,
      recordFolder: join(folder, "records"),
      baseEnv: { PATH: process.env["PATH"] },
      limits: () => limits,
    });
    const keeper = new BrowserKeeper({
      ...system,
      runner,
      folder: join(folder, "browsers"),
      searchPath: process.env["PATH"] ?? "",
      program: builtFile("browser-program.mjs"),
      library: builtFile("playwright-core/index.mjs"),
      idleMs: IDLE_MS,
    });
    const run = {
      runId: "run",
      kind: "user",
      agentId: "main",
      sessionKey: "agent:main:main",
      sessionId: "one",
      workspace: folder,
      owner: true,
      timeZone: "UTC",
    } as const;
    const settings = { headless: true, allowPrivate: [new URL(web.url).host], profiles: [], guests: false, evaluate: false, maxTabs: 2 };
    const before = await processesBelow(process.pid);
    const url = web.serve("/page", "<title>Page</title>");
    const answer = await keeper.ask({ run, profile: "default" }, { call: { action: "open", url } }, settings);
    expect(answer).toMatchObject({ type: "answer", isError: false });
    const running = (await processesBelow(process.pid)).filter((id) => !before.includes(id));
    expect(running.length).toBeGreaterThan(3);
    idle?.();
    await expect.poll(async () => stillRunning(running)).toEqual([]);
    await expect.poll(() => keeper.isRunning({ run, profile: "default" })).toBe(false);
    await keeper.close();
    await runner.close();
    await rm(folder, { recursive: true });
  });

  test("a gateway that stops leaves none", BROWSER_TIMEOUT, async () => {
    await using scene = await startBrowserScene();
    const { use, product, web } = scene;
    await use({ action: "open", url: web.serve("/page", "<title>Page</title>") });
    const running = await processesBelow(product.pid);
    expect(running.length).toBeGreaterThan(3);
    await product.end("SIGTERM");
    expect(await stillRunning(running)).toEqual([]);
    expect(await readdir(join(product.home, "browsers/run"))).toEqual([]);
  });
});

function killIfThere(processId: number): void {
  try {
    process.kill(processId, "SIGKILL");
  } catch (error) {
    // It has ended with the one before.
    if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
  }
}
