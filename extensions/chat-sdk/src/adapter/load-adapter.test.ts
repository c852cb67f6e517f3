import { TestHost } from "@factotum/channel-conformance";
import { ChannelError } from "@factotum/channel-contract";
import { expect, test } from "vitest";
import { installSample } from "../../test/sample-adapter.ts";
import type { SampleProject } from "../../test/sample-adapter.ts";
import { createChannel } from "../channel.ts";
import { ADAPTER, OWN_FOLDER, SECRET_TOKEN } from "../../test/scene.ts";

/** The reason for which an account with this adapter does not start. */
async function problemOf(
  project: { readonly from: string },
  adapter = "sample-adapter",
  options: Readonly<Record<string, unknown>> = {},
): Promise<string> {
  const channel = createChannel({ adapter, options }, new TestHost(), project.from);
  const error: unknown = await channel.start({ signal: AbortSignal.timeout(60_000) }).then(
    () => new Error("it started"),
    (reason: unknown) => reason,
  );
  await channel.stop({ signal: AbortSignal.abort() });
  if (!ChannelError.isInstance(error)) throw error;
  expect(error).toMatchObject({ code: "rejected", retry: { type: "never" } });
  expect(error.message).not.toContain("\n");
  return error.message;
}

test.each([
  ["a package that is not there", {}, "no-such-adapter", "is not installed; install it with: npm install --save-exact --prefix"],
  [
    "a package that another one brought",
    { listed: false },
    undefined,
    "was brought by another package and not chosen by you; install it with",
  ],
  ["a package without the Chat SDK", { manifest: {} }, undefined, "is no adapter of the Chat SDK: it does not depend on the package chat"],
  [
    "another major version",
    { manifest: { peerDependencies: { chat: "^5.0.0" } } },
    undefined,
    "is made for version ^5.0.0 of the Chat SDK",
  ],
  [
    "a package without an entry",
    { manifest: { dependencies: { chat: "4.1.0" }, exports: {} } },
    undefined,
    "has no entry that can be imported",
  ],
  ["an import that throws", { source: 'throw new Error("broken here")' }, undefined, "cannot be imported (broken here); install it again"],
  ["no factory", { source: "export const answer = 42;" }, undefined, "it exports no function create…Adapter"],
  [
    "two factories of other names",
    { source: "export const createOneAdapter = () => ({}), createTwoAdapter = () => ({});" },
    undefined,
    "it exports 2 functions create…Adapter, and none has its name",
  ],
  [
    "a factory that makes something else",
    { source: "export const createXAdapter = () => ({ initialize() {} });" },
    undefined,
    "it lacks handleWebhook, postMessage",
  ],
])("says what to do about %s", async (_name, sample, adapter, words) => {
  await using project: SampleProject = await installSample(sample);
  expect(await problemOf(project, adapter)).toContain(words);
});

test("options that the adapter refuses are reported without what it quotes", async () => {
  await using project = await installSample();
  expect(await problemOf(project, "sample-adapter", { refuse: true })).toBe(
    'the adapter sample-adapter 1.2.3 refuses its options: no "…" today',
  );
});

test.each([
  [{}, 'set options.mode to "webhook"'],
  [{ mode: "webhook" }, "set options.secretToken"],
  [{ mode: "webhook", secretToken: SECRET_TOKEN, allowUnverifiedWebhooks: true }, "no options.allowUnverifiedWebhooks"],
  [{ mode: "webhook", secretToken: SECRET_TOKEN }, "refuses its options: botToken is required"],
])("a known adapter with %j needs other options", async (options, words) => {
  expect(await problemOf({ from: OWN_FOLDER }, ADAPTER, options)).toContain(words);
});

test("a platform that cannot be reached is no reason against the start, and asked again", async () => {
  await using project = await installSample();
  const channel = createChannel({ adapter: "sample-adapter", options: { fails: true } }, new TestHost(), project.from);
  await channel.start({ signal: AbortSignal.timeout(60_000) });
  expect(channel.health()).toMatchObject({ state: "degraded", detail: "offline (ECONNREFUSED)" });
  await channel.stop({ signal: AbortSignal.abort() });
});
