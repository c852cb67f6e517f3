import type { FactotumConfig } from "@factotum/config";
import type { Store } from "@factotum/store";
import { isPrefixOf, startAnthropicServer, textReply, toolReply } from "@factotum/testing-providers";
import type { AnthropicReply, AnthropicServer } from "@factotum/testing-providers";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { startTestGateway, TestPlatform, withMethods, withModel } from "../../test/gateway-harness.ts";
import type { TestGateway } from "../../test/gateway-harness.ts";
import { createHeldCommands } from "../../test/held-commands.ts";
import type { HeldCommands } from "../../test/held-commands.ts";

let server: AnthropicServer;
let platform: TestPlatform;
let runner: HeldCommands;
let running: TestGateway;

beforeEach(async () => {
  server = await startAnthropicServer();
  platform = new TestPlatform();
  runner = createHeldCommands();
});
afterEach(async () => {
  expect(server.violations).toEqual([]);
  await running[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

interface Start {
  readonly home?: string;
  readonly around?: (store: Store) => Store;
  readonly patch?: (config: FactotumConfig) => FactotumConfig;
  readonly accountConfig?: NonNullable<NonNullable<Parameters<typeof startTestGateway>[0]>["accountConfig"]>;
}

async function start({ patch = (config) => config, ...options }: Start = {}): Promise<void> {
  running = await startTestGateway({
    platform,
    runner,
    accountConfig: { allowFrom: ["owner-1"] },
    patch: (config) => patch(withModel(server.baseUrl)(config)),
    ...options,
  });
}

const exec = (command: string): AnthropicReply => toolReply({ name: "exec", input: { command, background: true } });
const process = (input: Readonly<Record<string, string>>): AnthropicReply => toolReply({ name: "process", input });

async function say(text: string, extra: Parameters<TestPlatform["message"]>[1] = {}): Promise<void> {
  await platform.say(platform.message(text, extra));
  await running.gateway.engine.idle();
}

/** Has the model start a command in the background. */
async function begin(command = "make"): Promise<void> {
  server.script([exec(command), textReply("It runs.")]);
  await say(`run ${command}`);
}

/** Waits for the work that the end of a command causes. */
async function settle(): Promise<void> {
  await expect.poll(async () => running.store.listCommands()).toEqual([]);
  await running.gateway.engine.idle();
}

const texts = (): readonly string[] => platform.sent.flatMap(({ outbound }) => (outbound.type === "text" ? [outbound.text] : []));
const newest = (): string => JSON.stringify(((server.requests.at(-1)?.body?.["messages"] ?? []) as readonly unknown[]).at(-1));
/** The id that the model was given. */
const idOf = (index: number): string => (JSON.stringify(server.requests[index]?.body).match(/in the background, id (\w+)/) ?? [])[1] ?? "";

describe("a background command that ends", () => {
  test("wakes its idle session once, and is answered in the same chat", async () => {
    await start();
    await begin();
    expect(await running.store.listCommands()).toMatchObject([{ text: "make", sessionKey: "agent:main:main" }]);
    server.script([textReply("Two tests failed.")]);
    runner.commands[0]?.end("2 failed\n", { type: "exited", exitCode: 1 });
    await settle();
    expect(texts()).toEqual(["It runs.", "Two tests failed."]);
    expect(platform.sent.map(({ target }) => target)).toEqual([platform.sent[0]?.target, platform.sent[0]?.target]);
    expect(newest()).toContain(`The background command ${idOf(1)} has ended after 61 s: exit code 1.`);
    expect(newest()).toContain("| 2 failed");
    expect(isPrefixOf(server.requests[1]?.body ?? {}, server.requests[2]?.body ?? {})).toBe(true);
    const { items } = await running.store.listInputs({ state: "answered", limit: 10 });
    expect(items.map(({ admission }) => admission.kind)).toEqual(["user", "command"]);
  });

  test("may need no answer", async () => {
    await start();
    await begin();
    server.script([textReply("NO_REPLY")]);
    runner.commands[0]?.end();
    await settle();
    expect(texts()).toEqual(["It runs."]);
  });

  test("waits while its session is busy, shares its turn with others, and is not given to the running one", async () => {
    await start();
    await begin("one");
    await begin("two");
    const gate = server.hold();
    server.script([textReply("Later."), textReply("Both are done.")]);
    await platform.say(platform.message("what else?"));
    await server.nextRequest();
    for (const command of runner.commands) command.end("ok\n");
    await expect.poll(async () => running.store.listCommands()).toEqual([]);
    gate.open();
    await running.gateway.engine.idle();
    expect(texts()).toEqual(["It runs.", "It runs.", "Later.", "Both are done."]);
    expect(JSON.stringify(server.requests.at(-2)?.body)).not.toContain("has ended");
    expect(JSON.stringify(server.requests.at(-1)?.body).match(/has ended after/g)).toHaveLength(2);
  });

  test("is answered after messages that came meanwhile", async () => {
    await start();
    await begin();
    const gate = server.hold();
    server.script([textReply("First."), textReply("Second."), textReply("Done.")]);
    await platform.say(platform.message("one"));
    await server.nextRequest();
    runner.commands[0]?.end("ok\n");
    await expect.poll(async () => running.store.listCommands()).toEqual([]);
    await platform.say(platform.message("/queue followup"));
    await platform.say(platform.message("two"));
    gate.open();
    await running.gateway.engine.idle();
    expect(texts().filter((text) => /First|Second|Done\./.test(text))).toEqual(["First.", "Second.", "Done."]);
  });

  test("needs no turn if the model has read its end meanwhile", async () => {
    await start();
    await begin();
    const id = idOf(1);
    server.script([process({ action: "poll", id }), textReply("It is done.")]);
    await platform.say(platform.message("wait for it"));
    await expect.poll(() => newest()).toContain("wait for it");
    runner.commands[0]?.end("ok\n");
    await running.gateway.engine.idle();
    await settle();
    expect(texts()).toEqual(["It runs.", "It is done."]);
    expect(newest()).toContain("ok\\n[ended: exit code 0]");
    expect((await running.store.listInputs({ state: "shown", limit: 10 })).items).toMatchObject([{ admission: { kind: "command" } }]);
  });

  test("is not reported if the model has killed it", async () => {
    await start();
    await begin();
    server.script([process({ action: "kill", id: idOf(1) }), textReply("Stopped.")]);
    await say("stop it");
    await settle();
    expect(runner.commands[0]?.isKilled).toBe(true);
    expect(texts()).toEqual(["It runs.", "Stopped."]);
  });

  test("is reported with the failure of its turn, if that fails", async () => {
    await start();
    await begin();
    server.respond(() => ({ type: "error", errorType: "authentication_error", message: "invalid x-api-key" }));
    runner.commands[0]?.end();
    await settle();
    expect(texts()).toHaveLength(2);
    expect(texts()[1]).toContain("key");
  });

  test("whose starter is no longer the owner wakes no session", async () => {
    await start();
    await begin();
    const requests = server.requests.length;
    await running.gateway.reload(
      running.settings({ ...running.gateway.engine.parts.running.config, commands: { ownerAllowFrom: ["test:other"] } }),
    );
    runner.commands[0]?.end();
    await settle();
    const woken = server.requests.slice(requests);
    // It may still talk here, as a guest: its turn is not the owner's.
    for (const { body } of woken) expect(JSON.stringify(body)).not.toContain('"owner":true');
    const { items } = await running.store.listInputs({ state: "answered", limit: 10 });
    const turns = await Promise.all(items.map(async ({ turnId }) => running.store.readTurn(turnId ?? "")));
    expect(turns.filter((turn) => turn?.kind === "command" && turn.owner)).toEqual([]);
  });

  test("from a turn with text of others wakes a turn whose commands need a decision", async () => {
    await start();
    await say("/trust session");
    server.script([exec("make"), textReply("It runs.")]);
    await say("run it", { replyTo: { sender: { id: "mallory" }, body: "Run it.", isQuote: true } });
    await say("/trust off");
    server.script([exec("rm"), textReply("I may not.")]);
    runner.commands[0]?.end("ok\n");
    await settle();
    expect(runner.commands).toHaveLength(1);
    expect(texts().join("\n")).toContain("Rule taint");
    expect(newest()).toContain("the owner denied it");
    const { items } = await running.store.listInputs({ state: "answered", limit: 10 });
    expect(items.find(({ admission }) => admission.kind === "command")?.admission.tainted).toBe(true);
  });
});

describe("a guest's background command", () => {
  const MALLORY = { id: "mallory", name: "Mallory", isBot: false };
  const GUESTS = { allowFrom: ["owner-1", "mallory"] };

  test("in a shared sandbox ends with a report of the guest's own authority, whose output is text of others", async () => {
    await start({ accountConfig: GUESTS });
    server.script([exec("make"), textReply("It runs."), textReply("It is built.")]);
    await say("run it", { sender: MALLORY });
    runner.commands[0]?.end("ok\n");
    await settle();
    expect(texts()).toEqual(["It runs.", "It is built."]);
    const { items } = await running.store.listInputs({ state: "answered", limit: 10 });
    expect(items.find(({ admission }) => admission.kind === "command")?.admission).toMatchObject({ owner: false, tainted: true });
  });

  test("is theirs; the owner's on the host are not, even in a session that both share", async () => {
    await start({
      accountConfig: GUESTS,
      patch: (config) => ({ ...config, session: { ...config.session, sharedMain: true } }),
    });
    await begin("serve");
    const id = idOf(1);
    server.script([
      process({ action: "list" }),
      process({ action: "kill", id }),
      process({ action: "write", id, text: "x" }),
      textReply("No."),
    ]);
    await say("stop it", { sender: MALLORY });
    const sent = JSON.stringify(server.requests.at(-1)?.body);
    expect(sent).toContain("This session has no background commands.");
    expect(sent.match(new RegExp(`no background command ${id}`, "g"))).toHaveLength(2);
    expect(await running.store.listCommands()).toHaveLength(1);
  });
});

describe("the commands of a session", () => {
  test("are invisible to other sessions", async () => {
    await start();
    await begin();
    const id = idOf(1);
    server.script([process({ action: "list" }), process({ action: "poll", id }), process({ action: "kill", id }), textReply("None.")]);
    await running.gateway.engine.submit(platform.message("what runs?"), { owner: true, kind: "user", sessionKey: "agent:main:other" });
    await running.gateway.engine.idle();
    const sent = JSON.stringify(server.requests.at(-1)?.body);
    expect(sent).toContain("This session has no background commands.");
    expect(sent.match(new RegExp(`This session has no background command ${id};`, "g"))).toHaveLength(2);
    expect(runner.commands[0]?.isKilled).toBe(false);
  });

  test("are at most four; a fifth is refused until one has ended", async () => {
    await start();
    for (const name of ["a", "b", "c", "d"]) await begin(name);
    server.script([exec("e"), process({ action: "kill", id: idOf(1) }), exec("f"), textReply("Now it runs.")]);
    await say("one more");
    const sent = JSON.stringify(server.requests.at(-3)?.body);
    expect(sent).toMatch(/4 background commands, as many as it may have.*- \w+: a\\n- \w+: b/);
    expect(runner.commands.map(({ line }) => line)).toEqual(["a", "b", "c", "d", "f"]);
  });

  test.each([
    ["/stop", /^Ended 1 background command\.$/],
    ["/new", /^Ended 1 background command\.$/],
  ])("end with %s, which says so, and are not reported", async (command, answer) => {
    await start();
    await begin();
    const requests = server.requests.length;
    await say(command);
    await settle();
    expect(runner.commands[0]?.isKilled).toBe(true);
    expect(texts()[1]).toMatch(answer);
    expect(server.requests).toHaveLength(requests);
  });

  test("that have ended are gone with their conversation: a new one neither lists nor reads them", async () => {
    await start();
    await begin();
    const id = idOf(1);
    server.script([process({ action: "list" }), textReply("One."), textReply("It has ended.")]);
    await say("list");
    expect(JSON.stringify(server.requests.at(-1)?.body)).toContain(`${id} (running`);
    runner.commands[0]?.end();
    await settle();
    await say("/new");
    server.script([process({ action: "list" }), process({ action: "log", id }), textReply("None.")]);
    await say("list");
    const sent = JSON.stringify(server.requests.at(-1)?.body?.["messages"]);
    expect(sent).toContain("This session has no background commands.");
    expect(sent).toContain(`This session has no background command ${id};`);
  });

  test("are dropped with /stop if their end still waits", async () => {
    await start();
    await begin();
    const gate = server.hold();
    server.script([textReply("Never said.")]);
    await platform.say(platform.message("think"));
    await server.nextRequest();
    runner.commands[0]?.end();
    await expect.poll(() => running.gateway.engine.parts.queue.lanes.waiting("agent:main:main")).toHaveLength(1);
    const requests = server.requests.length;
    await platform.say(platform.message("/stop"));
    gate.open();
    await running.gateway.engine.idle();
    expect(server.requests).toHaveLength(requests);
    expect((await running.store.listInputs({ state: "ignored", limit: 10 })).items).toMatchObject([{ admission: { kind: "command" } }]);
  });

  test("end with a session that is deleted", async () => {
    await start();
    await begin();
    await running.gateway.engine.sessions.delete("agent:main:main");
    await settle();
    expect(runner.commands[0]?.isKilled).toBe(true);
  });

  test("are not kept if their end could not be reported", async () => {
    await start({
      around: withMethods(() => ({
        addCommand: async () => {
          throw new Error("the disk is broken");
        },
      })),
    });
    server.script([exec("make"), textReply("It did not work.")]);
    await say("run make");
    expect(newest()).toContain("could not be kept in the background: the disk is broken");
    expect(runner.commands[0]?.isKilled).toBe(true);
  });
});

describe("a restart of the gateway", () => {
  test.each(["stopped", "killed"])("tells the session once which commands it ended: %s", async (how) => {
    await start();
    await begin();
    const { home } = running;
    if (how === "stopped") runner.commands[0]?.kill();
    await running.stop();
    runner = createHeldCommands();
    server.script([textReply("I will start it again.")]);
    await start({ home });
    await running.gateway.engine.idle();
    expect(texts()).toEqual(how === "stopped" ? ["It runs."] : ["It runs.", "I will start it again."]);
    if (how === "stopped") return;
    expect(newest()).toMatch(/was ended by a restart of the gateway.*\| make/);
    await running.stop();
    await start({ home });
    await running.gateway.engine.idle();
    expect(texts()).toHaveLength(2);
  });

  test("repeats nothing if it came between the report and its removal", async () => {
    const around = withMethods(() => ({ removeCommand: async () => undefined }));
    await start({ around });
    await begin();
    server.script([textReply("Done.")]);
    runner.commands[0]?.end();
    await expect.poll(() => texts()).toEqual(["It runs.", "Done."]);
    await running.gateway.engine.idle();
    await running.stop();
    await start({ home: running.home });
    await settle();
    expect(texts()).toEqual(["It runs.", "Done."]);
  });
});
