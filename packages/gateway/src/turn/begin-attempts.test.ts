import type { AccountConfig, FactotumConfig } from "@factotum/config";
import { StoreError } from "@factotum/store";
import type { Store } from "@factotum/store";
import { startAnthropicServer, textReply } from "@factotum/testing-providers";
import type { AnthropicServer } from "@factotum/testing-providers";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { endsAsKilled, startTestGateway, TestPlatform, withMethods, withModel } from "../../test/gateway-harness.ts";
import type { TestGateway } from "../../test/gateway-harness.ts";
import { hastyClock } from "../../test/hasty-clock.ts";

type StartOptions = NonNullable<Parameters<typeof startTestGateway>[0]>;

let server: AnthropicServer;
let platform: TestPlatform;
/** Recorded `beginInputs` calls: the inputs, and their number of attempts afterwards. */
let counted: { readonly ids: readonly string[]; readonly attempts: number }[];
beforeEach(async () => {
  server = await startAnthropicServer();
  platform = new TestPlatform();
  counted = [];
});
afterEach(() => server[Symbol.asyncDispose]());

const sentTexts = (): string[] => platform.sent.map(({ outbound }) => (outbound.type === "text" ? outbound.text : ""));

/** A store that records calls of `beginInputs`. */
const recording = (extra: Partial<Store> = {}) =>
  withMethods((store) => ({
    beginInputs: async (ids) => {
      const attempts = await store.beginInputs(ids);
      counted.push({ ids, attempts });
      return attempts;
    },
    ...extra,
  }));

/** After `revoke` the owner is admitted as a guest, in a session of their own. */
const GUESTS: Partial<AccountConfig> = { allowFrom: ["owner-1"] };

async function revoke(running: TestGateway): Promise<void> {
  const { config } = running.gateway.engine.parts.running;
  await running.gateway.reload(running.settings({ ...config, commands: { ...config.commands, ownerAllowFrom: ["test:other"] } }));
}

const start = (options: StartOptions): Promise<TestGateway> =>
  startTestGateway({ platform, patch: withModel(server.baseUrl), accountConfig: GUESTS, ...options });

describe("a waiting message that is moved to a session of its own", () => {
  const OWN = "agent:main:test:direct:owner-1";

  async function expectMoved(running: TestGateway): Promise<void> {
    await running.gateway.engine.idle();
    expect(sentTexts()).toEqual(["One.", "Two."]);
    const { items } = await running.store.listSessions({ limit: 5 });
    expect(items.map(({ key }) => key)).toContain(OWN);
  }

  test("keeps no attempt if no process ended during it", async () => {
    await using running = await start({ around: recording() });
    server.script([textReply("One."), textReply("Two.")]);
    const gate = server.hold();
    await platform.say(platform.message("one"));
    await server.nextRequest();
    await platform.say(platform.message("two"));
    await revoke(running);
    gate.open();
    await expectMoved(running);
    expect(counted).toEqual([]);
  });

  test("keeps the attempt of the process that ended during it", async () => {
    const first = await start({ around: endsAsKilled });
    const held = server.hold();
    await platform.say(platform.message("one"));
    await server.nextRequest();
    await platform.say(platform.message("two"));
    await first.stop();
    server.script([textReply("One."), textReply("Two.")]);
    await using second = await start({ around: recording(), home: first.home });
    const [two] = (await second.store.listInputs({ state: "waiting", limit: 5 })).items;
    await revoke(second);
    held.open();
    await expectMoved(second);
    expect(counted).toEqual([{ ids: [two?.id], attempts: 2 }]);
  });
});

test("a recovered turn that ends because its session was separated starts again as recovered, and gathers later messages", async () => {
  const [ann, bob] = ["ann", "bob"].map((id) => ({
    origin: { channel: "test", accountId: "default", conversation: { kind: "direct", id: `dm-${id}` } } as const,
    sender: { id, isBot: false },
  }));
  const options: StartOptions = {
    accountConfig: { allowFrom: ["owner-1", "ann", "bob"] },
    patch: (config) => {
      const base = withModel(server.baseUrl)(config);
      const { messages } = base;
      return { ...base, maxConcurrent: 1, messages: { ...messages, queue: { ...messages.queue, mode: "collect", debounceMs: 0 } } };
    },
  };
  const first = await start({
    ...options,
    patch: (config) => ({ ...(options.patch?.(config) ?? config), maxConcurrent: 2 }),
    around: endsAsKilled,
  });
  const killed = server.hold();
  await platform.say(platform.message("from ann", ann));
  await server.nextRequest();
  await platform.say(platform.message("one"));
  await server.nextRequest();
  await first.stop();
  killed.open();
  server.respond(() => textReply("Done."));
  const held = server.hold();
  await using second = await start({ ...options, around: recording(), home: first.home });
  await server.nextRequest();
  await platform.say(platform.message("from bob", bob));
  await revoke(second);
  held.open();
  const later = server.hold();
  await server.nextRequest();
  await platform.say(platform.message("and more"));
  later.open();
  await second.gateway.engine.idle();
  expect(counted).toMatchObject([{ attempts: 2 }]);
  // Two of the first process, two others of the second, and one for both messages.
  expect(server.requests).toHaveLength(5);
  expect(JSON.stringify(server.requests.at(-1)?.body)).toMatch(/one.*and more/);
});

/** Leaves one waiting message whose process was killed while its turn was prepared. */
async function leaveWaiting(text: string): Promise<string> {
  const begun = Promise.withResolvers<void>();
  const list = async (): Promise<never> => {
    begun.resolve();
    return new Promise<never>(() => undefined);
  };
  const running = await start({ around: endsAsKilled, skills: { list } });
  await platform.say(platform.message(text));
  await begun.promise;
  await running.stop();
  return running.home;
}

test("failures within one process count as one attempt: a message that temporarily cannot start is not given up", async () => {
  const home = await leaveWaiting("one");
  server.respond(() => textReply("At last."));
  // Neither the turn nor the refusal of its message can be stored.
  let left = 10;
  const around = (store: Store): Store =>
    recording({
      startTurn: async (turn) => {
        left -= 1;
        if (left >= 0) throw new StoreError("internal", "The disk could not be read.");
        return store.startTurn(turn);
      },
    })(store);
  await using running = await start({ home, around, clock: hastyClock });
  await platform.waitForSends(1);
  await running.gateway.engine.idle();
  expect(left).toBeLessThan(0);
  expect(sentTexts()).toEqual(["At last."]);
  expect(counted.map(({ attempts }) => attempts)).toEqual([2]);
});

test("an interruption does not count as an attempt: a repeatedly interrupted message is answered", async () => {
  const home = await leaveWaiting("one");
  server.respond(() => textReply("At last."));
  let begun = Promise.withResolvers<void>();
  let hangs = true;
  const list = async (): Promise<never> => {
    begun.resolve();
    return hangs ? new Promise<never>(() => undefined) : ([] as never);
  };
  const patch = (config: FactotumConfig): FactotumConfig => {
    const base = withModel(server.baseUrl)(config);
    const { messages } = base;
    return {
      ...base,
      messages: {
        ...messages,
        inbound: { ...messages.inbound, debounceMs: 0 },
        queue: { ...messages.queue, mode: "interrupt", debounceMs: 0 },
      },
    };
  };
  await using running = await start({ home, around: recording(), skills: { list }, patch });
  for (let count = 0; count < 5; count += 1) {
    // A message that is given up starts nothing more; its sender is notified.
    await Promise.race([begun.promise, platform.waitForSends(1)]);
    begun = Promise.withResolvers();
    hangs = count < 4;
    await platform.say(platform.message(`more ${count}`));
  }
  await platform.waitForSends(1);
  await running.gateway.engine.idle();
  expect(sentTexts()).toEqual(["At last."]);
  expect(counted.length).toBeGreaterThan(3);
  expect(counted.every(({ attempts }) => attempts === 2)).toBe(true);
  expect((await running.store.listDeadLetters({ limit: 10 })).items).toEqual([]);
});
