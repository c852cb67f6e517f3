import type { MsgContext } from "@factotum/channel-contract";
import { StoreError } from "@factotum/store";
import { startAnthropicServer, textReply, toolReply } from "@factotum/testing-providers";
import type { AnthropicServer } from "@factotum/testing-providers";
import { setImmediate as nextTick } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { startTestGateway, TestPlatform, withMethods, withModel } from "../../test/gateway-harness.ts";
import type { TestGateway } from "../../test/gateway-harness.ts";
import { lostCommit, lostTurn } from "../../test/lost-writes.ts";
import type { RunReport } from "../queue/run-report.ts";

let server: AnthropicServer;
let platform: TestPlatform;
beforeEach(async () => {
  server = await startAnthropicServer();
  platform = new TestPlatform();
});
afterEach(() => server[Symbol.asyncDispose]());

const sentTexts = (): string[] => platform.sent.map(({ outbound }) => (outbound.type === "text" ? outbound.text : ""));

const unwritable = (): StoreError => new StoreError("internal", "The disk could not be written to.");

/** A store whose turns become durable when `commit` lets them. */
function withStarts(commit: (committed: Promise<void>) => Promise<void>) {
  return withMethods((store) => ({
    startTurnOptimistic: async (turn) => {
      const { result, committed } = await store.startTurnOptimistic(turn);
      return { result, committed: commit(committed) };
    },
  }));
}

describe("the first commit of a turn", () => {
  test("is written while its first request is on the wire, and the request refers to its message", async () => {
    server.respond(() => textReply("Yes."));
    const request = server.nextRequest();
    const around = withStarts(async (committed) => {
      await request;
      return committed;
    });
    await using running = await startTestGateway({ platform, patch: withModel(server.baseUrl), around });
    await platform.say(platform.message("hello"));
    await platform.waitForSends(1);
    await running.gateway.engine.idle();
    expect(sentTexts()).toEqual(["Yes."]);
    const sessionId = (await running.store.readSession("agent:main:main"))?.sessionId ?? "";
    const entries = (await running.store.readTranscript(sessionId, { limit: 9 })).items;
    const question = entries.find((entry) => entry.type === "message" && entry.message.role === "user");
    expect((await running.store.listRequests({ sessionId, limit: 9 })).items).toMatchObject([{ number: 1, lastEntryId: question?.id }]);
  });

  test("is durable before anything is shown or executed", async () => {
    server.script([toolReply({ name: "write", input: { path: "a.txt", content: "1" } }), textReply("Done.")]);
    const answered = server.nextRequest();
    const seen: string[] = [];
    const around = withMethods((store) => ({
      startTurnOptimistic: async (turn) => {
        const { result, committed } = await store.startTurnOptimistic(turn);
        const late = committed.then(async () => {
          // The answer has arrived and is read as far as allowed.
          await answered;
          for (let round = 0; round < 20; round += 1) await nextTick();
          seen.push("on disk");
        });
        return { result, committed: late };
      },
      appendToTurn: async (...parameters) => {
        seen.push("works");
        return store.appendToTurn(...parameters);
      },
    }));
    await using running = await startTestGateway({ platform, patch: withModel(server.baseUrl), around });
    using _events = running.gateway.engine.parts.events.subscribe("agent:main:main", ({ type }) => {
      if (type === "run-start" || type === "block-start" || type === "tool-start") seen.push(type);
    });
    await platform.say(platform.message("write"));
    await platform.waitForSends(1);
    await running.gateway.engine.idle();
    expect(seen.slice(0, 3)).toEqual(["on disk", "run-start", "works"]);
    expect(sentTexts()).toEqual(["Done."]);
  });

  test("is repeated with its request when it fails: nothing is answered from uncommitted state", async () => {
    server.script([textReply("Lost."), textReply("Kept.")]);
    const starts: string[] = [];
    const asked = server.nextRequest();
    const around = withMethods((store) => ({
      startTurnOptimistic: async (turn) => {
        starts.push("ahead");
        return lostTurn(store, turn, { at: asked, error: unwritable() });
      },
      startTurn: async (turn) => {
        starts.push(`behind ${server.requests.length}`);
        return store.startTurn(turn);
      },
    }));
    await using running = await startTestGateway({ platform, patch: withModel(server.baseUrl), around });
    await platform.say(platform.message("hello"));
    await platform.waitForSends(1);
    await running.gateway.engine.idle();
    expect(sentTexts()).toEqual(["Kept."]);
    expect(starts).toEqual(["ahead", "behind 1"]);
    expect(server.requests).toHaveLength(2);
  });

  test("of a job from the last process is durable before its first request, which may have crashed that process", async () => {
    server.respond(() => textReply("Yes."));
    const stuck = await startTestGateway({
      platform,
      patch: withModel("http://127.0.0.1:1"),
      around: withMethods(() => ({ startTurnOptimistic: never, startTurn: never })),
    });
    await platform.say(platform.message("hello"));
    await stuck.stop();
    const requestsAtStart: number[] = [];
    const around = withMethods((store) => ({
      startTurnOptimistic: never,
      startTurn: async (turn) => {
        requestsAtStart.push(server.requests.length);
        return store.startTurn(turn);
      },
    }));
    await using _running = await startTestGateway({ platform, home: stuck.home, patch: withModel(server.baseUrl), around });
    await platform.waitForSends(1);
    expect(requestsAtStart).toEqual([0]);
    expect(sentTexts()).toEqual(["Yes."]);
  });
});

describe("a message from a client that waits for the answer", () => {
  const said = (text: string): MsgContext =>
    platform.message(text, {
      origin: { channel: "http", accountId: "default", conversation: { kind: "direct", id: "agent:main:http:a" } },
    });

  function ask(running: TestGateway, message: MsgContext): { readonly taken: Promise<string>; readonly answer: Promise<string> } {
    const answer = Promise.withResolvers<string>();
    const submitted = running.gateway.engine.submit(
      message,
      { owner: true, kind: "user", ownTurn: true, sessionKey: "agent:main:http:a" },
      {
        onClaimed: () => undefined,
        onReport: (report: RunReport) => answer.resolve(report.outcome.type === "done" ? report.text : report.outcome.type),
        onAnswered: (text) => answer.resolve(text),
        onSettled: (reason) => answer.resolve(reason),
      },
    );
    return { taken: submitted.then(({ status }) => status), answer: answer.promise };
  }

  test("is committed together with its turn: two commits in total", async () => {
    server.respond(() => textReply("Yes."));
    await using running = await startTestGateway({ platform, patch: withModel(server.baseUrl) });
    const cost = async (): Promise<number> => {
      const before = running.store.metrics().commits;
      await ask(running, said("hello")).answer;
      await running.gateway.engine.idle();
      await running.store.flushCopies();
      return running.store.metrics().commits - before;
    };
    // Until the prompt's files are watched, each turn checks them first, which takes longer than a commit.
    const costs = [await cost()];
    while (costs.at(-1) !== 2 && costs.length < 100) costs.push(await cost());
    expect(costs.at(-1)).toBe(2);
    expect(await cost()).toBe(2);
  });

  test("is acknowledged after its commit, not before", async () => {
    server.respond(() => textReply("Yes."));
    const disk = Promise.withResolvers<void>();
    const around = withMethods((store) => ({
      acceptInputOptimistic: async (...parameters) => {
        const { result, committed } = await store.acceptInputOptimistic(...parameters);
        return { result, committed: committed.then(() => disk.promise) };
      },
    }));
    await using running = await startTestGateway({ platform, patch: withModel(server.baseUrl), around });
    const told: string[] = [];
    const { taken, answer } = ask(running, said("hello"));
    const both = [taken.then(() => told.push("taken")), answer.then((text) => told.push(text))];
    await server.nextRequest();
    expect(told).toEqual([]);
    disk.resolve();
    await Promise.all(both);
    expect(told).toContain("taken");
    expect(told).toContain("Yes.");
  });

  test("is rejected without a trace when its commit fails; the next input, which may reuse its id, is answered on its own", async () => {
    server.script([textReply("Lost."), textReply("Kept.")]);
    const asked = server.nextRequest();
    const around = withMethods((store) => ({
      acceptInputOptimistic: async (message, options) => {
        if (server.requests.length > 0) return store.acceptInputOptimistic(message, options);
        const { admission, receivedAtMs } = options;
        const input = { id: "i0000000001", message, admission, receivedAtMs, state: { type: "waiting" } } as const;
        return { result: { type: "accepted", input }, committed: lostCommit({ at: asked, error: unwritable() }) };
      },
      startTurnOptimistic: async (turn) =>
        server.requests.length > 0 ? store.startTurnOptimistic(turn) : lostTurn(store, turn, { at: asked, error: unwritable() }),
    }));
    await using running = await startTestGateway({ platform, patch: withModel(server.baseUrl), around });
    const lost = ask(running, said("one"));
    await expect(lost.taken).rejects.toMatchObject({ code: "internal" });
    await running.gateway.engine.idle();
    const kept = ask(running, said("two"));
    expect(await kept.taken).toBe("accepted");
    expect(await kept.answer).toBe("Kept.");
    expect(server.requests).toHaveLength(2);
    expect(JSON.stringify(server.requests[1]?.body)).not.toContain('"one"');
    expect((await running.store.listInputs({ state: "waiting", limit: 9 })).items).toEqual([]);
  });

  test("is queued behind one that is committed but not acknowledged yet", async () => {
    server.respond(() => textReply("Yes."));
    // Like writes with waiters: the store acknowledges them one after the other, each in its own tick.
    const told = Promise.withResolvers<void>();
    let calls = 0;
    const around = withMethods((store) => ({
      acceptInputOptimistic: async (...parameters) => {
        calls += 1;
        if (calls > 1) return store.acceptInputOptimistic(...parameters);
        const result = await store.acceptInput(...parameters);
        await told.promise;
        return { result, committed: Promise.resolve() };
      },
      acceptInput: async (...parameters) => {
        const accepted = await store.acceptInput(...parameters);
        await told.promise;
        await nextTick();
        return accepted;
      },
    }));
    await using running = await startTestGateway({ platform, patch: withModel(server.baseUrl), around });
    const ended: string[] = [];
    const note = async (text: string): Promise<void> => {
      await ask(running, said(text)).answer;
      ended.push(text);
    };
    const first = note("one");
    while ((await running.store.listInputs({ state: "waiting", limit: 9 })).items.length === 0) await nextTick();
    const both = [first, note("two")];
    for (let round = 0; round < 20; round += 1) await nextTick();
    told.resolve();
    await Promise.all(both);
    expect(ended).toEqual(["one", "two"]);
  });

  test("is queued behind earlier messages, in order of arrival", async () => {
    server.respond(({ body }) =>
      textReply(`to ${JSON.stringify(body).includes("three") ? "three" : JSON.stringify(body).includes("two") ? "two" : "one"}`),
    );
    await using running = await startTestGateway({ platform, patch: withModel(server.baseUrl) });
    const asked = ["one", "two", "three"].map((text) => ask(running, said(text)).answer);
    expect(await Promise.all(asked)).toEqual(["to one", "to two", "to three"]);
    const turns = (await running.store.listInputs({ state: "answered", limit: 9 })).items;
    expect(turns.map(({ message }) => message.text)).toEqual(["one", "two", "three"]);
  });
});

async function never(): Promise<never> {
  return new Promise(() => undefined);
}
