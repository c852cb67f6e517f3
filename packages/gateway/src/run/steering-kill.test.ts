import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { startAnthropicServer, textReply, toolReply } from "@factotum/testing-providers";
import type { AnthropicServer } from "@factotum/testing-providers";
import { afterEach, beforeEach, expect, test } from "vitest";
import { withoutUndefined } from "@factotum/agent-contract";
import { startTestGateway, TestPlatform, withModel } from "../../test/gateway-harness.ts";
import type { TestGateway } from "../../test/gateway-harness.ts";

let server: AnthropicServer;
let folder: string;
beforeEach(async () => {
  server = await startAnthropicServer();
  folder = await mkdtemp(path.join(tmpdir(), "factotum-kill-"));
});
afterEach(async () => {
  await server[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

const start = (platform: TestPlatform, home?: string): Promise<TestGateway> =>
  startTestGateway({ platform, patch: withModel(server.baseUrl), ...withoutUndefined({ home }) });

/** A copy of the database from the moment before or after a steered message joins its turn, as a kill would leave it. */
async function diskWhileJoining(when: "before" | "after"): Promise<string> {
  const platform = new TestPlatform();
  await using running = await start(platform);
  const image = path.join(folder, when);
  const { store } = running.gateway.engine.parts;
  const joinTurn = store.joinTurn.bind(store);
  const take = async (): Promise<void> => cp(running.home, image, { recursive: true, filter: (file) => !file.endsWith("-shm") });
  const joined = Promise.withResolvers<void>();
  Object.assign(store, {
    joinTurn: async (...args: Parameters<typeof joinTurn>) => {
      if (when === "before") await take();
      const entries = await joinTurn(...args);
      if (when === "after") await take();
      joined.resolve();
      return entries;
    },
  });
  server.script([toolReply({ name: "ls", input: {} }), textReply("Done.")]);
  const gate = server.hold();
  await platform.say(platform.message("look around"));
  await server.nextRequest();
  await platform.say(platform.message("and hurry"));
  gate.open();
  await joined.promise;
  await running.gateway.engine.idle();
  return image;
}

test.each(["before", "after"] as const)(
  "a kill right %s a steered message joins its turn loses nothing and answers nothing twice",
  async (when) => {
    const home = await diskWhileJoining(when);
    const asked = server.requests.length;
    server.respond(({ index }) => textReply(`Answer ${index - asked}.`));
    const platform = new TestPlatform();
    await using running = await start(platform, home);
    await running.gateway.engine.idle();
    for (const state of ["waiting", "claimed", "interrupted", "told", "dead"] as const)
      expect({ state, items: (await running.store.listInputs({ state, limit: 5 })).items }).toEqual({ state, items: [] });
    expect((await running.store.listInputs({ state: "answered", limit: 5 })).items).toHaveLength(2);
    // Before: it waits and gets a turn of its own. After: it resumes with the turn that it joined.
    expect(platform.sent.map(({ outbound }) => outbound)).toMatchObject(
      when === "before" ? [{ text: "Answer 0." }, { text: "Answer 1." }] : [{ text: "Answer 0." }],
    );
    const last = JSON.stringify(server.requests.at(-1)?.body?.["messages"]);
    expect(last.split("and hurry")).toHaveLength(2);
    expect(last.split("look around")).toHaveLength(2);
    const session = await running.store.readSession("agent:main:main");
    const { items } = await running.store.readTranscript(session?.sessionId ?? "", { limit: 50 });
    expect(items.filter((entry) => JSON.stringify(entry).includes("and hurry"))).toHaveLength(1);
    expect(server.violations).toEqual([]);
  },
);
