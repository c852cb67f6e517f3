import { expect, test } from "vitest";
import { RpcClient } from "../src/rpc/rpc-client.ts";
import { GROUP, startGuestScene } from "./guest-scene.ts";
import type { GuestScene } from "./guest-scene.ts";

const REFUSED = "Only my owner can do that here, because this conversation is shared.";
const SEPARATED = "From now on this conversation is yours alone.";
const MAIN = "agent:main:main";
const ANNA = "agent:main:feishu:direct:ou_anna";
/** Private files, and a skill whose location contains a path. */
const FILES = {
  "MEMORY.md": "The safe opens with canary-memory.",
  "skills/knots/SKILL.md": "---\nname: knots\ndescription: Ties knots\n---\nOver, under.\n",
};

/** Notices in the main session, as the owner's page shows them. */
async function notices({ product: { url, token } }: GuestScene): Promise<readonly string[]> {
  using client = await RpcClient.connect({ url, token, version: "0" });
  const { entries } = await client.request("chat.history", { sessionKey: MAIN });
  return entries.flatMap((entry) => (entry.type === "notice" ? [entry.text] : []));
}

interface Listed {
  readonly sessions: readonly { readonly key: string; readonly sessionId: string; readonly model?: string; readonly thinking?: string }[];
}

test("a guest sees nothing of the owner's conversation, and the owner nothing of the guest's", async () => {
  await using scene = await startGuestScene({}, { files: FILES });
  await scene.owner("My word is canary-page.");
  await scene.say("ou_owner", "And canary-chat.");
  expect(scene.given).toEqual(["canary-memory", "canary-page", "canary-chat"]);
  expect(await scene.say("ou_anna", "I am canary-anna. What do you know?")).toEqual([expect.stringContaining("I know: canary-anna.")]);
  expect(scene.given).toEqual(["canary-anna"]);
  expect(await scene.say("ou_bert", "I am canary-bert.")).toEqual([expect.stringContaining("I know: canary-bert.")]);
  await scene.owner("What do you know?");
  expect(scene.given).toEqual(["canary-memory", "canary-page", "canary-chat"]);
  const { stdout } = await scene.command("doctor", "--json");
  expect(stdout).not.toContain('"sharing"');
});

test("the prompt of a guest and of a group has no path of the owner's home, that of the owner does", async () => {
  await using scene = await startGuestScene({}, { files: FILES });
  const home = scene.product.home;
  await scene.say("ou_owner", "hello");
  expect(scene.request).toContain(`Your working directory is ${home}/workspace.`);
  await scene.say("ou_anna", "hello");
  for (const text of [scene.request, (await scene.say("ou_anna", "hello", { chatId: GROUP }), scene.request)]) {
    expect(text).toContain("Relative paths start in your working directory.");
    expect(text).toContain(String.raw`<folder path=\"~/workspace/skills\">\n- knots`);
    expect(text).not.toContain(home);
  }
});

test("with sharedMain they share the conversation, as log, status, doctor and the conversation say", async () => {
  await using scene = await startGuestScene({ sharedMain: true });
  await scene.owner("My word is canary-page.");
  const warning = `Messages of more than one person come into the session ${MAIN}`;
  expect((await scene.command("status")).stdout).not.toContain(warning);
  await scene.say("ou_anna", "What do you know?");
  expect(scene.given).toEqual(["canary-page"]);
  await expect.poll(() => scene.product.output()).toContain("without session.sharedMain they are kept apart");
  expect(await notices(scene)).toEqual([expect.stringContaining("Without session.sharedMain")]);
  await scene.restart({ sharedMain: true });
  expect((await scene.command("status")).stdout).toContain(warning);
  const { stdout } = await scene.command("doctor", "--json");
  expect(stdout).toContain('"sharing"');
  expect(stdout).toContain("Remove session.sharedMain");
});

test("scope global and a binding to main keep guests out too, which validate, doctor and status say; with sharedMain they let them in", async () => {
  const bindings = [{ agentId: "main", match: { channel: "feishu" }, session: { dmScope: "main" } }];
  await using scene = await startGuestScene({ scope: "global" }, { extra: { bindings } });
  await scene.say("ou_owner", "My word is canary-chat.");
  await scene.say("ou_anna", "I am canary-anna.");
  expect(scene.given).toEqual(["canary-anna"]);
  await scene.say("ou_anna", "hello", { chatId: GROUP });
  expect(scene.given).toEqual([]);
  for (const command of [["config", "validate"], ["doctor"], ["status"]] as const) {
    const { stdout } = await scene.command(...command);
    expect(stdout).toMatch(/session\.scope: .*session\.sharedMain/);
    expect(stdout).toMatch(/bindings\[0\]\.session\.dmScope: .*session\.sharedMain/);
  }
  await scene.restart({ dmScope: "per-peer" });
  await scene.say("ou_anna", "What do you know?");
  expect(scene.given).toEqual(["canary-anna"]);
  await scene.restart({ scope: "global", sharedMain: true });
  await scene.say("ou_anna", "What do you know?");
  expect(scene.given).toEqual(["canary-chat"]);
  expect((await scene.command("config", "validate")).stdout).not.toContain("sharedMain");
});

test("another id of the owner's shares the owner's conversation and has none of the owner's rights", async () => {
  const identityLinks = { olga: ["feishu:ou_owner", "feishu:ou_second"], anna: ["feishu:ou_anna"] };
  await using scene = await startGuestScene({ identityLinks });
  await scene.say("ou_owner", "My word is canary-chat.");
  await scene.say("ou_second", "What do you know?");
  expect(scene.given).toEqual(["canary-chat"]);
  expect(scene.request).toContain('\\"owner\\":false');
  expect(await scene.say("ou_second", "/reset")).toEqual([expect.stringContaining(REFUSED)]);
  expect(await scene.say("ou_second", "/whoami")).toEqual([expect.stringContaining("are not the owner")]);
  await scene.say("ou_anna", "What do you know?");
  expect(scene.given).toEqual([]);
  await scene.say("ou_owner", "What do you know?");
  expect(scene.given).toEqual(["canary-chat"]);
});

test("an identity link named like the owner's id gives a guest neither the owner's conversation nor its reset", async () => {
  await using scene = await startGuestScene({ dmScope: "per-channel-peer", identityLinks: { ou_owner: ["feishu:ou_anna"] } });
  await scene.say("ou_owner", "My word is canary-chat.");
  await scene.say("ou_anna", "What do you know?");
  expect(scene.given).toEqual([]);
  await scene.say("ou_anna", "/new");
  await scene.say("ou_owner", "What do you know?");
  expect(scene.given).toEqual(["canary-chat"]);
});

test("after the upgrade the old history stays in main, and each guest in it starts empty and is notified once", async () => {
  // The behaviour of earlier versions.
  await using scene = await startGuestScene({ sharedMain: true });
  await scene.owner("My word is canary-page.");
  await scene.say("ou_anna", "I am canary-anna.");
  expect(scene.given).toEqual(["canary-page", "canary-anna"]);
  await scene.restart({});
  const [notice, answer] = await scene.say("ou_anna", "What do you know?", { count: 2 });
  expect([notice, answer]).toEqual([expect.stringContaining(SEPARATED), expect.stringContaining("I know: .")]);
  expect(scene.given).toEqual([]);
  expect(await scene.say("ou_bert", "hello")).toEqual([expect.stringContaining("I know: .")]);
  expect(await scene.say("ou_anna", "And now?")).toEqual([expect.stringContaining("I know: .")]);
  await scene.restart({});
  expect(await scene.say("ou_anna", "And after a restart?")).toEqual([expect.stringContaining("I know: .")]);
  expect(await scene.say("ou_bert", "And I?")).toEqual([expect.stringContaining("I know: .")]);
  expect(await scene.owner("What do you know?")).toContain("I know: canary-page canary-anna.");
  expect((await notices(scene)).filter((text) => text.includes(`now have a session of their own: ${ANNA}`))).toHaveLength(1);
});

test("a guest's commands change nothing in a group, and only the guest's own conversation", async () => {
  await using scene = await startGuestScene();
  const sessions = async (): Promise<Listed["sessions"]> =>
    (JSON.parse((await scene.command("sessions", "list", "--json")).stdout) as Listed).sessions;
  const idOf = async (part: string): Promise<string | undefined> => (await sessions()).find(({ key }) => key.includes(part))?.sessionId;
  await scene.say("ou_owner", "My word is canary-group.", { chatId: GROUP });
  await scene.say("ou_anna", "I am canary-anna.");
  const before = { group: await idOf(":group:"), anna: await idOf(ANNA) };
  const requests = scene.model.requests.length;
  for (const command of ["/reset", "/new", "/stop", "/compact", "/model anthropic/claude-opus-5-5", "/think high"])
    expect(await scene.say("ou_anna", command, { chatId: GROUP })).toEqual([expect.stringContaining(REFUSED)]);
  expect(scene.model.requests).toHaveLength(requests);
  await scene.say("ou_anna", "What do you know?", { chatId: GROUP });
  expect(scene.given).toEqual(["canary-group"]);
  expect(await idOf(":group:")).toBe(before.group);
  expect(await scene.say("ou_anna", "/think high")).not.toEqual([expect.stringContaining(REFUSED)]);
  await scene.say("ou_anna", "/reset");
  await scene.say("ou_anna", "What do you know?");
  expect(scene.given).toEqual([]);
  expect(await idOf(ANNA)).not.toBe(before.anna);
  await scene.say("ou_owner", "/reset", { chatId: GROUP });
  expect(await idOf(":group:")).not.toBe(before.group);
});
