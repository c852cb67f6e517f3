import { withoutUndefined } from "@factotum/agent-contract";
import type { CommandFile, SkillEntry, ToolSource } from "@factotum/agent-contract";
import { messageId } from "@factotum/channel-contract";
import type { FactotumConfig } from "@factotum/config";
import { startAnthropicServer, textReply, toolReply } from "@factotum/testing-providers";
import type { AnthropicServer } from "@factotum/testing-providers";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { fakeSkills } from "../../test/fake-skills.ts";
import { startTestGateway, TestPlatform, withModel } from "../../test/gateway-harness.ts";
import type { TestGateway } from "../../test/gateway-harness.ts";

const GUEST = { sender: { id: "guest-1", name: "Gus", isBot: false } };
const GROUP = { origin: { channel: "test", accountId: "default", conversation: { kind: "group" as const, id: "group-1" } } };

const skill = (name: string, more: Partial<SkillEntry> = {}): SkillEntry => ({
  name,
  description: `The skill ${name}`,
  location: `/managed/${name}/SKILL.md`,
  folder: `/managed/${name}`,
  version: "1",
  source: "managed",
  ...more,
});

const file = (name: string, body: string, more: Partial<CommandFile> = {}): CommandFile => ({
  name,
  description: `The command ${name}`,
  access: "owner",
  body,
  ...more,
});

let server: AnthropicServer;
let platform: TestPlatform;
let running: TestGateway;
let skills: SkillEntry[];
let files: CommandFile[];
let bodies: Record<string, string | undefined>;
let invoked: (readonly string[])[];

beforeEach(async () => {
  server = await startAnthropicServer();
  server.respond(() => textReply("Yes."));
  platform = new TestPlatform();
  invoked = [];
  skills = [
    skill("git-review", { argumentHint: "<branch>" }),
    skill("hidden", { invocation: "model" }),
    skill("manual", { invocation: "people" }),
    skill("needy", { tools: ["read", "cron"] }),
    skill("stop"),
    skill("twin"),
  ];
  files = [
    file("twin", "From the file."),
    file("stand-up", "Days: $1."),
    file("open", "Open it.", { access: "anyone" }),
    file("model", "x"),
  ];
  bodies = {
    "git-review": "Look at {baseDir}/rules.md. Use /think high if hard.",
    stop: "Stop it.",
    twin: "From the skill.",
    manual: "By hand.",
  };
  running = await start();
});
afterEach(async () => {
  await running[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

const start = (
  more: (config: FactotumConfig) => FactotumConfig = (config) => config,
  toolSources: readonly ToolSource[] = [],
  home?: string,
): Promise<TestGateway> =>
  startTestGateway({
    platform,
    toolSources,
    ...withoutUndefined({ home }),
    skills: fakeSkills(({ allow }) => skills.filter(({ name }) => allow?.includes(name) ?? true), {
      readBody: async ({ name }) => bodies[name],
      commands: async () => ({ commands: files, problems: [] }),
      leftOut: async () => [{ name: "gone", reason: "gone needs the program gone" }],
    }),
    skillUse: { invoked: (_, names) => void (names.length > 0 && invoked.push(names)) },
    accountConfig: { allowFrom: ["guest-1"], groupPolicy: "open", groups: { "*": { requireMention: false, skills: ["twin"] } } },
    patch: (config: FactotumConfig) => more(withModel(server.baseUrl)(config)),
  });

/** Sends a message and returns everything that was sent since. */
async function say(text: string, extra: Parameters<TestPlatform["message"]>[1] = {}): Promise<string> {
  const before = platform.sent.length;
  await platform.say(platform.message(text, extra));
  await running.gateway.engine.idle();
  return platform.sent
    .slice(before)
    .map(({ outbound }) => (outbound.type === "text" ? outbound.text : ""))
    .join("\n");
}

/** The newest message that the model was given. */
const given = (): string =>
  JSON.stringify((server.requests.at(-1)?.body?.["messages"] as unknown as readonly unknown[] | undefined)?.at(-1));

describe("a skill", () => {
  test.each(["/git-review main", "/GIT_REVIEW main", "/skill git-review main", "/skill Git_Review main"])(
    "%s gives the model its instructions and the words",
    async (text) => {
      await say(text);
      expect(given()).toContain("Look at /managed/git-review/rules.md. Use /think high if hard.");
      expect(given()).toContain("The request: main");
      expect(invoked).toEqual([["git-review"]]);
      expect(server.requests).toHaveLength(1);
    },
  );

  test("whose instructions are long or gone is read by the model", async () => {
    bodies = { "git-review": "x".repeat(16_001) };
    await say("/git-review main");
    expect(given()).toContain("read /managed/git-review/SKILL.md before anything else");
    expect(given()).not.toContain("xxxx");
    bodies = {};
    await say("/git-review again");
    expect(given()).toContain("read /managed/git-review/SKILL.md before anything else");
    expect(given()).toContain("again");
  });

  test("that only the model may invoke is no command", async () => {
    expect(await say("/hidden")).toContain("There is no command /hidden.");
    expect(await say("/skill hidden")).toContain('There is no skill "hidden" that a message can call.');
    expect(server.requests).toHaveLength(0);
    expect(invoked).toEqual([]);
  });

  test("that only people may invoke is not in the prompt, nor is one without its tools", async () => {
    await say("/manual");
    expect(given()).toContain("By hand.");
    const system = JSON.stringify(server.requests[0]?.body?.["system"]);
    expect(system).toContain("- hidden (1): The skill hidden");
    expect(system).not.toContain("The skill manual");
    expect(system).not.toContain("The skill needy");
  });

  test("with the name of a built-in command is reached by /skill alone", async () => {
    expect(await say("/stop")).toContain("nothing to stop");
    expect(server.requests).toHaveLength(0);
    await say("/skill stop");
    expect(given()).toContain("Stop it.");
  });

  test("that a group does not have is no command there", async () => {
    await say("/skill twin", GROUP);
    expect(given()).toContain("From the skill.");
    expect(await say("/skill git-review", { ...GROUP, mentionsBot: true })).toContain('There is no skill "git-review"');
    // Without a mention it may be meant for another bot.
    await say("/skill git-review", GROUP);
    expect(given()).toContain("/skill git-review");
    expect(given()).not.toContain("rules.md");
  });

  test("is invoked together with an inline directive", async () => {
    await say("/git-review main /verbose on");
    expect(given()).toContain("The request: main");
    expect(given()).not.toContain("/verbose");
  });

  test("inside a message, or of a bot, is text", async () => {
    await say("try /git-review");
    expect(given()).not.toContain("rules.md");
    await say("/git-review", { sender: { id: "owner-1", name: "Bot", isBot: true } });
    expect(invoked).toEqual([]);
  });

  test("that is invoked in a message to a running turn counts for that turn", async () => {
    const begun = Promise.withResolvers<void>();
    const more = Promise.withResolvers<void>();
    server.respond(async ({ index }) => {
      if (index > 0) return textReply("Done.");
      begun.resolve();
      await more.promise;
      return toolReply({ name: "ls", input: { path: "." } });
    });
    const first = platform.say(platform.message("begin"));
    await begun.promise;
    await platform.say(platform.message("/git-review main"));
    more.resolve();
    await first;
    await running.gateway.engine.idle();
    expect(invoked).toEqual([["git-review"]]);
    expect(JSON.stringify(server.requests[1]?.body?.["messages"])).toContain("rules.md");
  });
});

describe("a file", () => {
  test("is the owner's command", async () => {
    await say("/stand-up 3 days");
    expect(given()).toContain("Days: 3.");
    expect(await say("/stand-up 3", GUEST)).toContain("There is no command /stand-up.");
    expect(invoked).toEqual([]);
  });

  test("may be for anyone", async () => {
    await say("/open", GUEST);
    expect(given()).toContain("Open it.");
  });

  test("has precedence over a skill, and none over a built-in command", async () => {
    await say("/twin");
    expect(given()).toContain("From the file.");
    expect(await say("/model")).toMatch(/^model anthropic/);
  });
});

describe("a command of a source", () => {
  const typed: string[] = [];
  const source = (id: string, names: readonly string[]): ToolSource => ({
    id,
    tools: [],
    commands: names.map((name) => ({
      name,
      summary: `Says ${name}`,
      untrusted: id === "one",
      run: async (words, { agentId, sessionKey }) => {
        typed.push(`${agentId} ${sessionKey}`);
        return `${id} says ${words}`;
      },
    })),
  });
  beforeEach(async () => {
    typed.length = 0;
    await running[Symbol.asyncDispose]();
    platform = new TestPlatform();
    running = await start(
      (config) => config,
      [source("one", ["todo", "twin", "git-review", "stop", "model"]), source("two", ["TO_DO", "todo", "day"])],
    );
  });

  test("answers its owner without a model, the first of a name", async () => {
    expect(await say("/todo buy  milk\n now ")).toContain("one says buy  milk\n now");
    expect(await say("/day")).toBe("two says");
    expect(typed).toEqual(["main agent:main:main", "main agent:main:main"]);
    expect(server.requests).toHaveLength(0);
    await say("what did it say?");
    expect(given()).not.toContain("two says");
  });

  test("comes after built-in commands, files and skills", async () => {
    expect(await say("/stop")).toContain("nothing to stop");
    expect(await say("/model")).toMatch(/^model anthropic/);
    await say("/twin");
    expect(given()).toContain("From the file.");
    await say("/git-review x");
    expect(given()).toContain("rules.md");
    expect(typed).toEqual([]);
    const help = await say("/help");
    expect(help.match(/^\S*\/todo: .*$/gm)).toEqual([expect.stringContaining("Says todo")]);
    expect(help).toContain("Says TO_DO");
    for (const name of ["twin", "git-review", "stop", "model"]) expect(help).not.toContain(`Says ${name}`);
  });

  test("is the owner's alone, and in a group that of the bot it is addressed to", async () => {
    expect(await say("/todo x", GUEST)).toContain("There is no command /todo.");
    expect(await say("/help", GUEST)).not.toContain("/todo");
    expect(typed).toEqual([]);
    await say("/todo x", GROUP);
    expect(given()).toContain("/todo x");
    expect(typed).toEqual([]);
    expect(await say("/todo x", { ...GROUP, mentionsBot: true })).toContain("one says x");
  });

  test.each([
    ["/todo x", "the owner denied it", true],
    ["/day", "Wrote MEMORY.md", false],
  ])("a reply to the answer of %s brings text of others unless the source is trusted", async (command, result, isMarked) => {
    await say(command);
    server.script([toolReply({ name: "write", input: { path: "MEMORY.md", content: "CANARY" } }), textReply("Done.")]);
    const id = messageId(`sent-${platform.sent.length - 1}`);
    await say("Do that", { replyTo: { messageId: id, sender: { isSelf: true }, body: "one says x", isQuote: false } });
    const messages = JSON.stringify(server.requests.at(-1)?.body?.["messages"]);
    expect(messages).toContain(result);
    expect(messages.includes("This turn is tainted")).toBe(isMarked);
  });

  test("that takes long keeps no conversation waiting, is given up at the stop, and not repeated after the start", async () => {
    await running[Symbol.asyncDispose]();
    platform = new TestPlatform();
    const begun = Promise.withResolvers<void>();
    let calls = 0;
    const slow: ToolSource = {
      id: "slow",
      tools: [],
      commands: [
        {
          name: "wait",
          summary: "Waits",
          untrusted: true,
          run: async (_, { signal }) => {
            calls += 1;
            begun.resolve();
            return new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error)));
          },
        },
      ],
    };
    running = await start((config) => config, [slow]);
    await platform.say(platform.message("/wait"));
    await begun.promise;
    await platform.say(platform.message("Hello"));
    await expect.poll(() => platform.sent).toHaveLength(1);
    expect(platform.sent[0]?.outbound).toMatchObject({ text: "Yes." });
    const { home } = running;
    await running.stop();
    platform = new TestPlatform();
    running = await start((config) => config, [slow], home);
    await running.gateway.engine.idle();
    expect(platform.sent.map(({ outbound }) => (outbound.type === "text" ? outbound.text : ""))).toEqual([
      "The gateway was restarted before /wait was answered. It may have been done; if not, send it again.",
    ]);
    expect(calls).toBe(1);
  });

  test("inside a message is text", async () => {
    await say("try /todo");
    expect(typed).toEqual([]);
    expect(given()).toContain("try /todo");
  });
});

test("/help lists what the sender may use, and no more than a screen of it", async () => {
  const own = await say("/help");
  for (const line of ["/stand-up: The command stand-up", "/git-review: /git-review <branch>: The skill git-review", "/manual: "])
    expect(own).toContain(line);
  expect(own.match(/^\S*\/twin: .*$/gm)).toEqual([expect.stringContaining("The command twin")]);
  for (const name of ["/hidden", "The skill stop", "The command model"]) expect(own).not.toContain(name);
  const guests = await say("/help", GUEST);
  expect(guests).toContain("/open: ");
  expect(guests).not.toContain("/stand-up");
  skills = Array.from({ length: 50 }, (_, number) => skill(`s${number}`));
  expect(await say("/help")).toContain("13 more are not listed.");
});

test("/context detail lists the skills of the prompt, and for the owner what is left out", async () => {
  await say("hello");
  const detail = await say("/context detail");
  expect(detail).toContain("git-review (managed, 1)");
  expect(detail).not.toContain("manual (managed");
  expect(detail).toContain("gone needs the program gone");
  expect(detail).toContain("needy: needs the tool cron: this gateway has not loaded it");
  await say("hello", GUEST);
  const guests = await say("/context detail", GUEST);
  expect(guests).toContain("git-review (managed, 1)");
  expect(guests).not.toContain("gone needs");
});

test("/context detail says of a skill that the agent or the group may not have, or whose tool a rule removes, why", async () => {
  await running[Symbol.asyncDispose]();
  platform = new TestPlatform();
  skills.push(skill("reader", { tools: ["read"] }));
  running = await start((config) => ({
    ...config,
    tools: { ...config.tools, deny: ["read"] },
    agents: config.agents.map((agent) => ({ ...agent, skills: { allow: ["git-review", "twin", "reader"] } })),
  }));
  await say("hello");
  const detail = await say("/context detail");
  expect(detail).toContain("manual: skills.allow of the agent does not have it");
  expect(detail).toContain("reader: needs the tool read: tools removes it");
  expect(detail).not.toMatch(/(?:git-review|twin): /);
  await say("hello", GROUP);
  expect(await say("/context detail", GROUP)).toContain("git-review: skills of the group does not have it");
});

test("/skill does not run one whose tool is missing", async () => {
  expect(await say("/skill needy")).toContain('There is no skill "needy"');
  expect(await say("/skill git-reviw main")).toContain("Did you mean /skill git-review?");
  expect(server.requests).toHaveLength(0);
  expect(invoked).toEqual([]);
});

test("the menus of channels have what anyone may use, and follow changes", async () => {
  const { menu } = running.gateway.engine.parts;
  // The channels of a start come later.
  await menu.refresh();
  const names = (): readonly string[] => menu.list().map(({ name }) => name);
  expect(names().slice(0, 2)).toEqual(["new", "reset"]);
  expect(names()).toEqual(expect.arrayContaining(["help", "open", "git-review", "manual"]));
  for (const name of ["stand-up", "hidden"]) expect(names()).not.toContain(name);
  expect(names().filter((name) => name === "stop")).toHaveLength(1);
  let changes = 0;
  using _listening = menu.onChange(() => (changes += 1));
  await menu.refresh();
  expect(changes).toBe(0);
  skills = [skill("new-one")];
  await menu.refresh();
  expect(changes).toBe(1);
  expect(names()).toContain("new-one");
});
