import type { RpcMethods } from "@factotum/protocol";
import type { Page } from "playwright-core";
import { beforeEach, describe, expect, test } from "vitest";
import { SAMPLE_JOB, sampleStatus } from "../test/status-sample.ts";
import { findViolations } from "./find-violations.ts";
import { fits } from "./fits.ts";
import { region } from "./named.ts";
import { LOOKS, useScriptedPage } from "./scripted-page.ts";

const scene = useScriptedPage();
let status = sampleStatus();
const TOTAL = {
  requests: 3,
  failed: 0,
  unpriced: 0,
  input: 1_234_000,
  output: 567,
  cacheRead: 0,
  cacheWrite: 0,
  total: 1_234_567,
  costUsd: 4.5,
};
const USAGE = { fromMs: 0, toMs: 1, timeZone: "UTC", total: TOTAL, groups: [], omitted: 0, charged: [], caps: [] };
const SETUP = {
  model: { reference: "lab/large", source: "demo", reason: "" },
  agent: { id: "main", heartbeat: "off" },
  providers: [],
  channels: [],
};

beforeEach(() => {
  status = sampleStatus();
  const answers: Readonly<Record<string, () => unknown>> = {
    status: () => status,
    "cron.list": () => ({ jobs: [SAMPLE_JOB] }),
    "setup.state": () => SETUP,
    "usage.query": () => USAGE,
    "gateway.restart": () => ({ restarting: true }),
  };
  scene.gateway.scripted.intercept = ({ method }) => {
    const answer = answers[method];
    return answer === undefined ? "handle" : { answer: answer() };
  };
});

async function openOverview(look: { readonly width: number; readonly dark?: boolean; readonly locale?: string }): Promise<Page> {
  const page = await scene.open(look);
  await page.goto(`${scene.gateway.url}#token=${scene.gateway.token}`);
  await page.waitForURL(/#\/chat\/agent/);
  await page.goto(`${scene.gateway.url}#/overview`);
  return page;
}

describe.each([...LOOKS, { width: 768, dark: false }, { width: 1920, dark: true }])("$width px, dark: $dark", (look) => {
  test.each([
    ["en-GB", "Overview", "Channels", "beacon/work"],
    ["zh-CN", "概览", "渠道", "beacon/work"],
  ])("in %s it is readable, without faults of access", async (locale, title, channels, account) => {
    const page = await openOverview({ ...look, locale });
    await page.getByRole("heading", { name: title, level: 1 }).waitFor();
    await region(page, channels).getByText(account).waitFor();
    expect(await page.evaluate(() => document.documentElement.lang)).toBe(locale === "zh-CN" ? "zh-CN" : "en");
    expect(await page.title()).toContain(title);
    expect(await findViolations(page)).toEqual([]);
    expect(await fits(page)).toBe(true);
    expect(await page.locator("style, [style]").count()).toBe(0);
  });
});

test("it says what runs, what is wrong, what it has cost, and what comes next", async () => {
  const page = await openOverview({ width: 1280 });
  expect(await region(page, "Gateway").innerText()).toMatch(/1\.2\.3[^]*2 Jan 2026, 03:04[^]*Everything is stored/);
  await region(page, "Channels").getByText("The token is not valid any longer").waitFor();
  expect(await region(page, "Models").innerText()).toMatch(
    /Robin: lab\/large\s*Failed[^]*The key of lab is refused[^]*work is not asked until/,
  );
  await region(page, "Cost today").getByText("$4.50").waitFor();
  expect(await region(page, "Cost today").innerText()).toMatch(/1\.2m/i);
  const { fromMs = 0, toMs = 0 } = (scene.gateway.scripted.requests.find(({ method }) => method === "usage.query")?.params ??
    {}) as RpcMethods["usage.query"]["params"];
  expect([fromMs <= Date.now(), toMs > Date.now(), Math.round((toMs - fromMs) / 86_400_000)]).toEqual([true, true, 1]);
  expect(await region(page, "Next scheduled runs").innerText()).toMatch(
    /Weather\s*10 Jan 2027, 07:00[^]*Heartbeat[^]*\u2068Weather\u2069 has failed 3 times in a row/,
  );
  await region(page, "Running now").getByText("Nothing runs at the moment.").waitFor();
  const { session } = scene.gateway.scripted.conversation("agent:main:main");
  session.startRun();
  scene.gateway.scripted.conversation("agent:main:main").run = new AbortController();
  session.say("go", "k-1");
  scene.gateway.scripted.broadcast("sessions-change", { keys: ["agent:main:main"] });
  await region(page, "Running now").getByRole("link", { name: "Main" }).click();
  await page.getByRole("textbox", { name: "Message" }).waitFor();
});

test("columns are sorted by their titles, with the keyboard too", async () => {
  const page = await openOverview({ width: 1280 });
  const names = () => region(page, "Channels").locator("tbody td:first-child").allInnerTexts();
  await expect.poll(names).toEqual(["lantern", "beacon/work"]);
  await page.getByRole("button", { name: "Account" }).press("Enter");
  expect(await names()).toEqual(["beacon/work", "lantern"]);
  expect(await page.getByRole("columnheader", { name: "Account" }).getAttribute("aria-sort")).toBe("ascending");
  await page.getByRole("button", { name: "Account" }).press("Enter");
  expect(await names()).toEqual(["lantern", "beacon/work"]);
});

test("the gateway is restarted after a question, and a toast says so", async () => {
  const page = await openOverview({ width: 360 });
  const restarts = () => scene.gateway.scripted.requests.filter(({ method }) => method === "gateway.restart").length;
  await page.getByRole("button", { name: "Restart the gateway…" }).click();
  const dialog = page.getByRole("dialog", { name: "Restart the gateway?" });
  expect(await page.evaluate(() => document.activeElement?.textContent)).toBe("Cancel");
  expect(await findViolations(page)).toEqual([]);
  await page.keyboard.press("Enter");
  expect(restarts()).toBe(0);
  await page.getByRole("button", { name: "Restart the gateway…" }).click();
  await dialog.getByRole("button", { name: "Restart", exact: true }).click();
  await page.getByText("The gateway restarts.").waitFor();
  expect(restarts()).toBe(1);
  expect(await findViolations(page)).toEqual([]);
});

test("without a connection it keeps what it knew, and asks again when there is one", async () => {
  const page = await openOverview({ width: 1280 });
  await region(page, "Gateway").getByText("1.2.3").waitFor();
  status = sampleStatus({ version: "1.2.4" });
  scene.gateway.scripted.cut();
  await region(page, "Gateway").getByText("1.2.4").waitFor();
  // What was connected before is not said to be so now.
  await region(page, "Channels").getByText("Connected").waitFor();
  await page.context().setOffline(true);
  scene.gateway.scripted.cut();
  await region(page, "Channels").getByText("Unknown").first().waitFor();
  expect(await region(page, "Channels").getByText("Connected").count()).toBe(0);
  await page.context().setOffline(false);
});

test("a fault of the gateway is shown, and can be retried", async () => {
  const page = await openOverview({ width: 1280 });
  await region(page, "Gateway").waitFor();
  const answer = scene.gateway.scripted.intercept;
  scene.gateway.scripted.intercept = (request) => (request.method === "status" ? { answer: "nonsense" } : answer(request));
  await page.reload();
  await page.getByText("This could not be shown").waitFor();
  expect(await findViolations(page)).toEqual([]);
  scene.gateway.scripted.intercept = answer;
  await page.getByRole("button", { name: "Try again" }).click();
  await region(page, "Gateway").getByText("1.2.3").waitFor();
});
