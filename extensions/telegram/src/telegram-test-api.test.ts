import { CONFORMANCE_REQUIREMENTS, proveRequirement } from "@factotum/channel-conformance";
import type { ConformanceOptions } from "@factotum/channel-conformance";
import { describe, expect, test } from "vitest";
import { ForeignPlatform } from "../test/foreign-platform.ts";
import { SECRET_TOKEN } from "../test/telegram-platform.ts";
import { createTelegramChannel } from "./index.ts";

const because = (reason: string, ids: string): Readonly<Record<string, string>> =>
  Object.fromEntries(ids.split(" ").map((id) => [id, reason]));

/** The cases that the server cannot run, each with the reason. */
const EXCLUDED: Readonly<Record<string, string>> = {
  ...because("it knows texts alone", "outbound:media outbound:media-name album:shown outbound:typing"),
  ...because("it knows texts alone", "outbound:caption outbound:voice audience:silent-file audience:silent-album"),
  ...because("it has no such method", "outbound:reaction poll:shown poll:limit event:vote target:id command:menu command:menu-change"),
  ...because("it has no such method", "act:pin act:not-found act:unpin act:thread-create act:member-info act:channel-info act:emoji-list"),
  ...because("it has no such method", "act:permissions health:evidence event:press"),
  ...because("it takes any token", "lifecycle:credential-wrong outbound:credential-wrong probe:credential-wrong log:no-secrets"),
  ...because("it cannot fail or wait on request", "outbound:rate-limited outbound:server-error outbound:answer-lost outbound:forbidden"),
  ...because("it cannot fail or wait on request", "outbound:answer-unreadable outbound:edit-unreadable outbound:edit-answer-lost"),
  ...because(
    "it cannot fail or wait on request",
    "outbound:after-failure outbound:aborted-on-the-wire lifecycle:stop-waits lifecycle:stop-gives-up",
  ),
  ...because("it knows every chat", "outbound:unknown-target"),
  ...because("its webhooks are not signed", "webhook:tampered webhook:stale webhook:early"),
};

const OPTIONS: ConformanceOptions<ForeignPlatform> = {
  channel: "telegram",
  platform: async () => ForeignPlatform.start(),
  create: ({ platform: { token, baseUrl }, host }) =>
    createTelegramChannel({ token, baseUrl, transport: { type: "webhook", secretToken: SECRET_TOKEN } }, host),
};

describe("a server that others wrote", () => {
  const cases = CONFORMANCE_REQUIREMENTS.filter(({ id }) => !(id in EXCLUDED));
  let ran = 0;

  test.for(cases)("$id: $behaviour", { timeout: 60_000 }, async ({ id }, { skip }) => {
    const outcome = await proveRequirement(id, OPTIONS as unknown as ConformanceOptions, { timeoutMs: 30_000 });
    if (outcome.type === "failed") throw outcome.error;
    if (outcome.type === "not-needed") skip(`not provided: ${outcome.missing.join(", ")}`);
    ran += 1;
  });

  test("ran two thirds of the cases or more, and excludes none that does not exist", () => {
    const ids = CONFORMANCE_REQUIREMENTS.map(({ id }) => id);
    expect(Object.keys(EXCLUDED).filter((id) => !ids.includes(id))).toEqual([]);
    expect(ran).toBeGreaterThanOrEqual(Object.keys(EXCLUDED).length * 2);
  });
});
