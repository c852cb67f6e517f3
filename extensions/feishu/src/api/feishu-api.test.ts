import { readFileSync } from "node:fs";
import { join } from "node:path";
import { TestHost } from "@factotum/channel-conformance";
import { FakeFeishu, ManualClock } from "@factotum/testing-channels";
import { PlatformFailure } from "@factotum/channel-kit";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { FeishuConfig } from "../config.ts";
import { createFeishuApi } from "./feishu-api.ts";
import type { FeishuApi } from "./feishu-api.ts";

const signal = new AbortController().signal;
const INFO = { method: "GET", path: "/bot/v3/info" };
let clock: ManualClock;
let feishu: FakeFeishu;

beforeEach(async () => {
  clock = new ManualClock();
  feishu = await FakeFeishu.start({ now: () => clock.now() });
});
afterEach(() => feishu[Symbol.asyncDispose]());

const make = (config: Partial<FeishuConfig> = {}, host = new TestHost({ clock })): FeishuApi =>
  createFeishuApi(
    {
      appId: feishu.app.appId,
      appSecret: feishu.app.appSecret,
      domain: "feishu",
      baseUrl: feishu.baseUrl,
      transport: { type: "websocket" },
      ...config,
    },
    host,
  );

test("many calls at once ask for one token, and later calls for none", async () => {
  const api = make();
  await Promise.all(Array.from({ length: 20 }, () => api.call(INFO, { signal })));
  await api.call(INFO, { signal });
  expect(feishu.tokensIssued).toBe(1);
});

test("a token is renewed before it runs out", async () => {
  const api = make();
  await api.call(INFO, { signal });
  clock.advance((7_200 - 181) * 1_000);
  await api.call(INFO, { signal });
  expect(feishu.tokensIssued).toBe(1);
  clock.advance(2_000);
  await api.call(INFO, { signal });
  expect(feishu.tokensIssued).toBe(2);
});

test("a revoked token is renewed once, and the call is made again", async () => {
  const api = make();
  await api.call(INFO, { signal });
  feishu.revokeTokens();
  expect(await api.call(INFO, { signal })).toMatchObject({ code: 0 });
  expect(feishu.tokensIssued).toBe(2);
});

test("a token that the platform refuses again and again is not asked for for ever", async () => {
  const api = make();
  feishu.failNext({ type: "refuse", status: 400, code: 99991663, message: "stale" });
  feishu.failNext({ type: "refuse", status: 400, code: 99991663, message: "stale" });
  const call = { method: "POST", path: "/im/v1/messages", data: {} };
  await expect(api.call(call, { signal })).rejects.toMatchObject({ reason: { type: "refused", code: "99991663" } });
  expect(feishu.tokensIssued).toBe(2);
});

test("two accounts share no token", async () => {
  await make().call(INFO, { signal });
  await make().call(INFO, { signal });
  expect(feishu.tokensIssued).toBe(2);
});

test("a wrong secret is the platform's no", async () => {
  await expect(make({ appSecret: "wrong" }).call(INFO, { signal })).rejects.toMatchObject({ reason: { type: "refused", code: "10014" } });
});

test("a token that cannot be had leaves the request unsent, also when the connection broke on the way", async () => {
  const broken: typeof fetch = () =>
    Promise.reject(new TypeError("fetch failed", { cause: Object.assign(new Error("reset"), { code: "ECONNRESET" }) }));
  const api = make({}, new TestHost({ clock, fetch: broken }));
  await expect(api.call(INFO, { signal })).rejects.toMatchObject({ reason: { type: "not-sent" } });
});

test("a call that is given up does not spoil the token for the others", async () => {
  const api = make();
  const abort = new AbortController();
  const given = api.call(INFO, { signal: abort.signal });
  const kept = api.call(INFO, { signal });
  abort.abort();
  await expect(given).rejects.toBeInstanceOf(PlatformFailure);
  expect(await kept).toMatchObject({ code: 0 });
});

test("the domain decides the server, and the base URL overrides it", async () => {
  const hosts: string[] = [];
  const spy: typeof fetch = (target) => {
    hosts.push(new URL(new Request(target).url).host);
    return Promise.resolve(Response.json({ code: 1, msg: "no" }));
  };
  for (const config of [
    { domain: "feishu" as const, baseUrl: undefined },
    { domain: "lark" as const, baseUrl: undefined },
    { baseUrl: "http://127.0.0.1:1/" },
  ]) {
    await expect(make(config, new TestHost({ clock, fetch: spy })).call(INFO, { signal })).rejects.toThrow();
  }
  expect(hosts).toEqual(["open.feishu.cn", "open.larksuite.com", "127.0.0.1:1"]);
  const manifest = readFileSync(join(import.meta.dirname, "../../package.json"), "utf8");
  const { factotum } = JSON.parse(manifest) as { readonly factotum: { readonly permissions: readonly string[] } };
  // The address of a long connection is named by the platform; it is another host of the same domain.
  const used = hosts.slice(0, 2).flatMap((host) => [`network:${host}`, `network:${host.replace("open.", "*.")}`]);
  expect(factotum.permissions.toSorted()).toEqual(used.toSorted());
});
