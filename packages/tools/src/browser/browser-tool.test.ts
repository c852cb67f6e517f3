import { chmod, mkdir, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AgentTool, AgentToolResult, JsonObject, RunFacts } from "@factotum/agent-contract";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { createFakeBrowsers, type FakeBrowsers } from "../../test/fake-browser.ts";
import { createFileAccess } from "../file-access/create-file-access.ts";
import { BrowserKeeper, type BrowserKeeperOptions } from "./browser-keeper.ts";
import { createBrowserTool } from "./browser-tool.ts";
import type { BrowserSettings } from "./browser-settings.ts";

let folder: string;
let workspace: string;
let fake: FakeBrowsers;
let parts: BrowserKeeperOptions;
let keeper: BrowserKeeper;
let timers: { readonly delayMs: number; readonly callback: () => void; ended: boolean }[];
let logged: unknown[];
let nowMs: number;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "factotum-browser-"));
  workspace = join(folder, "workspace");
  await mkdir(workspace);
  await writeFile(join(folder, "chromium"), "");
  await chmod(join(folder, "chromium"), 0o700);
  [fake, timers, logged, nowMs] = [createFakeBrowsers(), [], [], 0];
  const log = (message: string, fields: unknown): void => void logged.push([message, fields]);
  const logger = { debug: log, info: log, warn: log, error: log, child: () => logger };
  let ids = 0;
  parts = {
    runner: fake.runner,
    clock: {
      now: () => nowMs,
      monotonic: () => nowMs,
      schedule: (delayMs, callback) => {
        const timer = { delayMs, callback, ended: false };
        timers.push(timer);
        return { [Symbol.dispose]: () => void (timer.ended = true) };
      },
    },
    random: { uuid: () => `${String((ids += 1)).padStart(8, "0")}-0000-4000-8000-000000000000` },
    logger,
    folder: join(folder, "browsers"),
    searchPath: folder,
  };
  keeper = new BrowserKeeper(parts);
});
afterEach(async () => {
  await keeper.close();
  await rm(folder, { recursive: true });
});

const SETTINGS: BrowserSettings = {
  headless: true,
  allowPrivate: ["nas.lan"],
  profiles: ["shopping"],
  guests: false,
  evaluate: false,
  maxTabs: 8,
};

function toolOf(more: Partial<BrowserSettings> = {}): AgentTool {
  const files = createFileAccess({ home: join(folder, "home"), roots: () => [] });
  const keepDownload = async ({ name }: { readonly name: string }): Promise<string> => `/kept/${name}`;
  return createBrowserTool({ keeper, files, settings: { ...SETTINGS, ...more }, keepDownload });
}

const runOf = (more: Partial<RunFacts> = {}): RunFacts => ({
  runId: "run",
  kind: "user",
  agentId: "main",
  sessionKey: "agent:main:main",
  sessionId: "one",
  workspace,
  owner: true,
  timeZone: "UTC",
  ...more,
});

async function use(args: JsonObject, { tool = toolOf(), run = runOf(), tainted = false } = {}): Promise<AgentToolResult> {
  return tool.execute(
    { id: "call", name: "browser", arguments: args },
    { signal: new AbortController().signal, run, tainted, onDelta: () => undefined },
  );
}

const textOf = ({ content }: AgentToolResult): string =>
  content.map((block) => (block.type === "text" ? block.text : "[image]")).join("\n");

describe("the browser", () => {
  test("starts with the first call that needs it, and serves all sessions of its agent and profile", async () => {
    expect(textOf(await use({ action: "status" }))).toContain("is not running");
    expect(fake.started).toEqual([]);
    expect(textOf(await use({ action: "open", url: "https://public.example/" }))).toBe("done");
    await use({ action: "snapshot" }, { run: runOf({ sessionKey: "other" }) });
    expect(fake.started).toHaveLength(1);
    const [{ start, requests }] = fake.started as [(typeof fake.started)[number]];
    expect(start).toMatchObject({
      executable: join(folder, "chromium"),
      profileFolder: join(folder, "browsers/main/default"),
      allowPrivate: ["nas.lan"],
      maxTabs: 8,
    });
    expect(requests.map(({ session, call }) => [session, call.action])).toEqual([
      ["agent:main:main", "open"],
      ["other", "snapshot"],
    ]);
    expect((await stat(start.profileFolder)).mode & 0o777).toBe(0o700);
    await use({ action: "open", profile: "shopping" });
    await use({ action: "open" }, { run: runOf({ agentId: "work" }) });
    expect(fake.started.slice(1).map(({ start: { profileFolder } }) => profileFolder)).toEqual([
      join(folder, "browsers/main/shopping"),
      join(folder, "browsers/work/default"),
    ]);
  });

  test("is stopped when it is idle, and its temporary files are removed", async () => {
    await use({ action: "open" });
    const [browser] = fake.started;
    expect((await stat(browser?.start.exchangeFolder ?? "")).isDirectory()).toBe(true);
    const idle = timers.filter(({ delayMs, ended }) => delayMs === 600_000 && !ended);
    expect(idle).toHaveLength(1);
    idle[0]?.callback();
    expect(browser?.isEnded).toBe(true);
    await keeper.close();
    await expect(stat(browser?.start.exchangeFolder ?? "")).rejects.toThrow("ENOENT");
  });

  test("one that ends is an error, and the next call starts another", async () => {
    fake.answer = () => undefined;
    const asked = use({ action: "open" });
    await expect.poll(() => fake.started[0]?.requests.length).toBe(1);
    fake.started[0]?.end({ type: "over-limit", limit: "memory", used: 9, allowed: 8 });
    const result = await asked;
    expect(result.isError).toBe(true);
    expect(textOf(result)).toBe(
      "The browser cannot be used now: it was ended, because it used more memory than it may (9 of 8). The next call starts it again, with its tabs closed.",
    );
    fake.answer = () => ({});
    expect(textOf(await use({ action: "open" }))).toBe("done");
    expect(fake.started).toHaveLength(2);
  });

  test("one that does not answer is ended", async () => {
    fake.answer = () => undefined;
    const asked = use({ action: "open" });
    await expect.poll(() => fake.started[0]?.requests.length).toBe(1);
    timers.find(({ delayMs, ended }) => delayMs === 75_000 && !ended)?.callback();
    expect(textOf(await asked)).toContain("it did not answer in time");
    expect(fake.started[0]?.isEnded).toBe(true);
  });

  test("one that does not start says why", async () => {
    fake.opening = { type: "unusable", message: "no display" };
    expect(textOf(await use({ action: "open" }))).toContain("it did not start: no display");
    expect(textOf(await use({ action: "status" }))).toContain("is not running");
  });

  test("one that does not end with its input is ended by force", async () => {
    fake.hangs = true;
    await use({ action: "open" });
    const stopped = use({ action: "stop" });
    await vi.waitFor(() => expect(timers.some(({ delayMs }) => delayMs === 5_000)).toBe(true));
    expect(fake.started[0]?.isEnded).toBe(false);
    timers.find(({ delayMs }) => delayMs === 5_000)?.callback();
    expect(textOf(await stopped)).toBe("The browser was stopped.");
    expect(fake.started[0]?.isEnded).toBe(true);
  });

  test("changed settings restart it", async () => {
    await use({ action: "open" });
    await use({ action: "open" }, { tool: toolOf({ allow: ["public.example"] }) });
    expect(fake.started.map(({ isEnded, start: { allow } }) => [isEnded, allow])).toEqual([
      [true, undefined],
      [false, ["public.example"]],
    ]);
  });

  test("a fourth one takes the place of the one that was not used for the longest time", async () => {
    for (const agentId of ["one", "two", "three"]) {
      nowMs += 1_000;
      await use({ action: "open" }, { run: runOf({ agentId }) });
    }
    nowMs += 1_000;
    await use({ action: "tabs" }, { run: runOf({ agentId: "one" }) });
    await use({ action: "open" }, { run: runOf({ agentId: "four" }) });
    expect(fake.started.map(({ isEnded }) => isEnded)).toEqual([false, true, false, false]);
  });

  test("a build without its library says how to get it", async () => {
    keeper = new BrowserKeeper({ ...parts, library: join(folder, "playwright-core/index.mjs") });
    expect(textOf(await use({ action: "open" }))).toBe(
      "This gateway was built without the browser. Tell the owner: build it again with factotum build --browser.",
    );
  });

  test("a missing one is named, with what to install", async () => {
    await rm(join(folder, "chromium"));
    expect(textOf(await use({ action: "open" }))).toMatch(/^Chromium is not installed on this machine\. .*apt install chromium/);
    expect(textOf(await use({ action: "open" }, { tool: toolOf({ executable: "/nowhere" }) }))).toContain(
      "There is no program at tools.browser.executable (/nowhere)",
    );
  });

  test("refused hosts are logged", async () => {
    fake.opening = { type: "ready" };
    fake.answer = () => ({});
    await use({ action: "open" });
    expect(logged).toEqual([]);
    fake.opening = { type: "refused", host: "10.0.0.1", reason: "private" };
    const starting = use({ action: "open" }, { run: runOf({ agentId: "work" }) });
    await expect
      .poll(() => logged)
      .toEqual([["The browser was refused a host", { type: "refused", host: "10.0.0.1", reason: "private", agentId: "work" }]]);
    fake.started[1]?.end();
    await starting;
  });
});

describe("people", () => {
  const guest = runOf({ owner: false, sessionKey: "guest-session" });

  test("other than the owner have none", async () => {
    expect(textOf(await use({ action: "open" }, { run: guest }))).toContain("tools.browser.guests");
    expect(fake.started).toEqual([]);
  });

  test("other than the owner get an empty profile of their own where it is configured, without private places", async () => {
    await use({ action: "open" }, { run: guest, tool: toolOf({ guests: true }) });
    await use({ action: "open" }, { run: { ...guest, sessionKey: "another" }, tool: toolOf({ guests: true }) });
    const folders = fake.started.map(({ start: { profileFolder } }) => profileFolder);
    expect(new Set(folders).size).toBe(2);
    for (const { start } of fake.started) {
      expect(start.profileFolder.startsWith(join(folder, "browsers/run/"))).toBe(true);
      expect(start.allowPrivate).toEqual([]);
    }
    await keeper.close();
    for (const one of folders) await expect(stat(one)).rejects.toThrow("ENOENT");
  });
});

describe("calls", () => {
  test.each([
    [{ action: "navigate" }, "navigate needs url."],
    [{ action: "act", kind: "click" }, "act click needs ref."],
    [{ action: "act", kind: "drag" }, "act drag needs ref and toRef."],
    [{ action: "act" }, "act needs kind."],
    [{ action: "upload" }, "upload needs ref and paths."],
    [{ action: "open", profile: "../main" }, "There is no profile ../main; there are: default, shopping."],
    [{ action: "act", kind: "evaluate", script: "1" }, "tools.browser.evaluate"],
  ])("%j", async (args, message) => {
    const result = await use(args);
    expect(result.isError).toBe(true);
    expect(textOf(result)).toContain(message);
    expect(fake.started).toEqual([]);
  });

  test.each([
    [{ action: "open", url: "https://public.example/" }, "read", true],
    [{ action: "snapshot" }, "read", true],
    [{ action: "act", kind: "wait" }, "read", true],
    [{ action: "act", kind: "click", ref: "s1e1" }, "write", true],
    [{ action: "act", kind: "evaluate", script: "1" }, "write", true],
    [{ action: "dialog", accept: true }, "write", true],
    [{ action: "upload", ref: "s1e1", paths: ["a"] }, "write", true],
    [{ action: "screenshot" }, "read", true],
    [{ action: "screenshot", path: "a.png" }, "write", false],
    [{ action: "pdf", path: "a.pdf" }, "write", false],
    [{ action: "unknown" }, "write", true],
  ])("%j has the effect %s", (args, effect, network) => {
    expect(toolOf().traitsFor?.({ id: "call", name: "browser", arguments: args })).toMatchObject({ effect, network, output: "untrusted" });
  });

  test("a picture is shown, and saved where a path is named", async () => {
    fake.answer = ({ call }) => {
      if (call.action !== "screenshot") return {};
      return { file: join(fake.started[0]?.start.exchangeFolder ?? "", "made-1.jpeg") };
    };
    await use({ action: "open" });
    const file = join(fake.started[0]?.start.exchangeFolder ?? "", "made-1.jpeg");
    await writeFile(file, "picture");
    const result = await use({ action: "screenshot", path: "shots/one.jpg" });
    expect(result.content).toEqual([
      { type: "text", text: "done\nSaved as shots/one.jpg (7 bytes)." },
      { type: "image", data: Buffer.from("picture").toString("base64"), mimeType: "image/jpeg" },
    ]);
    expect(await readFile(join(workspace, "shots/one.jpg"), "utf8")).toBe("picture");
    await expect(stat(file)).rejects.toThrow("ENOENT");
    await writeFile(file, "picture");
    expect((await use({ action: "screenshot", path: "../outside.jpg" })).isError).toBe(true);
  });

  test("downloads are handed over, and their place is named", async () => {
    fake.answer = () => ({ downloads: [{ file: "/exchange/1", name: 'a"b.csv', sizeBytes: 3 }] });
    expect(textOf(await use({ action: "open" }))).toBe('done\n[The page has sent the file "a\\"b.csv" (3 bytes). It is at /kept/a"b.csv]');
  });

  test("a file that a page has sent is copied to the workspace, and no other file", async () => {
    await writeFile(join(workspace, "received.csv"), "a,b");
    await writeFile(join(folder, "secret.txt"), "secret");
    const saved = await use({ action: "save", paths: ["received.csv"], path: "out/report.csv" });
    expect(textOf(saved)).toBe("Saved as out/report.csv (3 bytes).");
    expect(await readFile(join(workspace, "out/report.csv"), "utf8")).toBe("a,b");
    expect((await use({ action: "save", paths: ["../secret.txt"], path: "out/secret.txt" })).isError).toBe(true);
    expect((await use({ action: "save", paths: ["received.csv"], path: "../outside.csv" })).isError).toBe(true);
    expect(textOf(await use({ action: "save", paths: ["received.csv"] }))).toBe("save needs path.");
    expect(textOf(await use({ action: "save", path: "received.csv" }))).toBe(
      "save needs paths, the file that a page has sent; path is the file to write.",
    );
    expect(textOf(await use({ action: "open", url: "https://example.org", fullPage: true, text: "", accept: false }))).toBe(
      "open takes no fullPage; it is for screenshot.",
    );
    expect(fake.started).toEqual([]);
  });

  test("only copies of files that the run may read are uploaded", async () => {
    await writeFile(join(workspace, "note.txt"), "note");
    await writeFile(join(folder, "secret.txt"), "secret");
    await use({ action: "open" });
    await use({ action: "upload", ref: "s1e1", paths: ["note.txt"] });
    const { call } = fake.started[0]?.requests.at(-1) ?? {};
    const [copy = ""] = (call as { readonly paths?: readonly string[] } | undefined)?.paths ?? [];
    expect(copy.startsWith(fake.started[0]?.start.exchangeFolder ?? "?")).toBe(true);
    expect(await readFile(copy, "utf8")).toBe("note");
    expect((await use({ action: "upload", ref: "s1e1", paths: ["note.txt", "../secret.txt"] })).isError).toBe(true);
    expect(fake.started[0]?.requests).toHaveLength(2);
  });

  test("the owner sees the element that a call is about, and decides about that one", async () => {
    const call = { id: "call", name: "browser", arguments: { action: "act", kind: "type", ref: "s1e5", text: "hello" } };
    expect(await toolOf().inspect?.(call, runOf())).toMatchObject({ type: "invalid" });
    fake.answer = ({ call: { action } }) =>
      action === "describe" ? { text: JSON.stringify({ url: "https://public.example/", elements: ['textbox "Name"'] }) } : {};
    await use({ action: "open" });
    expect(await toolOf().inspect?.(call, runOf())).toMatchObject({
      type: "action",
      text: 'Browser: act type\nOn https://public.example/:\n- textbox "Name"\ntext: hello',
      binding: { ref: "s1e5", text: "hello", url: "https://public.example/", elements: ['textbox "Name"'], profile: "default" },
    });
    // A key goes to the whole page: the owner sees which one.
    fake.answer = () => ({ text: JSON.stringify({ url: "https://public.example/", elements: [] }) });
    expect(await toolOf().inspect?.({ ...call, arguments: { action: "act", kind: "press", key: "Enter" } }, runOf())).toMatchObject({
      text: "Browser: act press\nOn https://public.example/\nkey: Enter",
      binding: { url: "https://public.example/" },
    });
    fake.answer = () => ({ isError: true, text: "The ref s1e5 is stale" });
    expect(await toolOf().inspect?.(call, runOf())).toEqual({ type: "invalid", message: "The ref s1e5 is stale" });
  });

  test("the owner is not asked about what the settings refuse", async () => {
    await use({ action: "open" });
    const evaluate = { id: "call", name: "browser", arguments: { action: "act", kind: "evaluate", script: "1" } };
    const refused = { type: "invalid", message: expect.stringContaining("tools.browser.evaluate") };
    expect(await toolOf().inspect?.(evaluate, runOf())).toEqual(refused);
    expect(fake.started[0]?.requests).toHaveLength(1);
  });
});
