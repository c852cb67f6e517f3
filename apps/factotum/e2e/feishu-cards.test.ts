import { feishuMessageEvent, feishuWebhookRequest } from "@factotum/testing-channels";
import type { FeishuCard, FeishuEnvelope, FeishuMessageInput, FeishuPress } from "@factotum/testing-channels";
import { callTools, sayText } from "@factotum/testing-providers";
import { describe, expect, test } from "vitest";
import { startFeishuScene } from "./feishu-scene.ts";
import type { FeishuScene } from "./feishu-scene.ts";

type TransportType = "webhook" | "websocket";
const USER = "ou_zhangsan";
const CARD = {
  title: "Deploy?",
  body: "Version **2** is ready.",
  buttons: [{ label: "Deploy", value: "deploy version 2", style: "primary" }, { label: "Not now" }],
};
const FORM = {
  body: "Why?",
  inputs: [
    { type: "text", id: "reason", label: "Reason" },
    { type: "choice", id: "urgency", label: "Urgency", options: ["high", "low"] },
  ],
  buttons: [{ label: "Send" }],
};

async function startScene(type: TransportType): Promise<FeishuScene> {
  const scene = await startFeishuScene(undefined, type === "websocket" ? { account: { transport: { type } } } : {});
  if (type === "websocket") await scene.feishu.longConnection.connected();
  return scene;
}

/** Delivers an event or a callback as the platform does, which gets an empty answer. */
async function deliver({ feishu, product }: FeishuScene, type: TransportType, payload: FeishuEnvelope): Promise<void> {
  if (type === "websocket") return expect(await feishu.longConnection.deliver(payload)).toBe(200);
  const response = await fetch(feishuWebhookRequest(feishu.app, `${product.url}/channels/feishu/default`, payload));
  expect([response.status, await response.json()]).toEqual([200, {}]);
}

let messages = 0;
async function say(scene: FeishuScene, type: TransportType, text: string, given: Partial<FeishuMessageInput> = {}): Promise<void> {
  messages += 1;
  const messageId = `om_${messages.toString(16).padStart(32, "c")}`;
  const message = { chatId: "oc_dm", chatType: "p2p" as const, messageType: "text", content: { text }, senderOpenId: USER, ...given };
  const { chatId, content, threadId, rootId } = message;
  const thread = { ...(threadId !== undefined && { threadId }), ...(rootId !== undefined && { rootId }) };
  scene.feishu.addInbound({ messageId, chatId, senderOpenId: USER, content, ...thread });
  await deliver(scene, type, feishuMessageEvent(scene.feishu.app, { messageId, ...message }));
}

/** The newest message of the newest request, as JSON. */
function newestMessage({ model }: FeishuScene): string {
  const list = model.requests.at(-1)?.body?.["messages"];
  return JSON.stringify(Array.isArray(list) ? (list.at(-1) as unknown) : undefined);
}

const press = (scene: FeishuScene, index: number, given: FeishuPress): FeishuEnvelope =>
  scene.feishu.press(scene.feishu.sent[index]?.messageId ?? "", { openId: USER, ...given });

describe.each<TransportType>(["webhook", "websocket"])("cards over the %s transport", (type) => {
  test("a button of the model's card begins a turn, also after a restart", async () => {
    await using scene = await startScene(type);
    let turns = 0;
    scene.model.respond(() => {
      turns += 1;
      return turns === 1 ? callTools({ name: "message", arguments: { action: "card", card: CARD } }) : sayText(`Turn ${turns}.`);
    });
    await say(scene, type, "deploy");
    await scene.waitForSent(2);
    const [card] = scene.feishu.sent;
    expect(card).toMatchObject({ messageType: "interactive", receiveId: "oc_dm" });
    expect((card?.content as FeishuCard | undefined)?.header?.title.content).toBe("Deploy?");

    await deliver(scene, type, press(scene, 0, { label: "Deploy" }));
    await scene.waitForSent(3);
    expect(newestMessage(scene)).toContain("[Pressed the button: Deploy]");
    await scene.killAndStart();
    if (type === "websocket") await scene.feishu.longConnection.connected(2);
    const again = press(scene, 0, { label: "Not now" });
    await deliver(scene, type, again);
    // The platform gets no answer in time and sends it again.
    await deliver(scene, type, again);
    await scene.waitForSent(4);
    expect(newestMessage(scene)).toContain("[Pressed the button: Not now]");
    await say(scene, type, "thanks");
    await scene.waitForSent(5);
    expect(scene.feishu.sent).toHaveLength(5);
    expect(scene.model.violations).toEqual([]);
  });

  test("the values of a form reach the model, which replaces the card", async () => {
    await using scene = await startScene(type);
    let turns = 0;
    scene.model.respond(() => {
      turns += 1;
      if (turns === 1) return callTools({ name: "message", arguments: { action: "card", card: FORM } });
      if (turns !== 3) return sayText("Fine.");
      const [messageId] = /\bo\d{10}\b/.exec(JSON.stringify(scene.model.requests.at(-1)?.body)) ?? [""];
      return callTools({ name: "message", arguments: { action: "edit", messageId, card: { body: "Noted." } } });
    });
    await say(scene, type, "ask me");
    await scene.waitForSent(2);
    await deliver(scene, type, press(scene, 0, { label: "Send", form: { in_reason: "too slow", in_urgency: "high" } }));
    await scene.waitForSent(3);
    const requests = JSON.stringify(scene.model.requests.at(-1)?.body?.["messages"]);
    for (const shown of ["[Pressed the button: Send]", String.raw`- \"reason\": \"too slow\"\n- \"urgency\": \"high\"`])
      expect(requests).toContain(shown);
    expect((scene.feishu.sent[0]?.content as FeishuCard | undefined)?.body.elements).toEqual([{ tag: "markdown", content: "Noted." }]);
    expect(scene.model.violations).toEqual([]);
  });
});

test("a person who never wrote presses a card that was sent to them, also after a restart", async () => {
  await using scene = await startFeishuScene(undefined, { account: { allowFrom: [USER, "ou_bob"] } });
  scene.feishu.app.people.add("ou_bob");
  let turns = 0;
  scene.model.respond(() => {
    turns += 1;
    return turns === 1
      ? callTools({ name: "message", arguments: { action: "card", target: "ou_bob", card: CARD } })
      : sayText(`Turn ${turns}.`);
  });
  await say(scene, "webhook", "ask Bob");
  await scene.waitForSent(2);
  const index = scene.feishu.sent.findIndex(({ receiveId }) => receiveId === "ou_bob");
  await scene.killAndStart();
  await deliver(scene, "webhook", press(scene, index, { label: "Deploy", openId: "ou_bob" }));
  await scene.waitForSent(3);
  expect(newestMessage(scene)).toContain("[Pressed the button: Deploy]");
  expect(scene.feishu.sent[2]).toMatchObject({ receiveId: "oc_dm_bob" });
});

test("a button with a command runs it; another person's press of it does not", async () => {
  await using scene = await startFeishuScene();
  scene.model.respond(() => sayText("Hello."));
  await say(scene, "webhook", "hello");
  await scene.waitForSent(1);
  // A card of the gateway's own, as one would ask for an approval.
  const value = { action: "status", value: "/status", label: "Status", kind: "direct" };
  const pressed = (openId: string, eventId: string): FeishuEnvelope => ({
    schema: "2.0",
    header: {
      event_id: eventId,
      token: scene.feishu.app.verificationToken,
      create_time: `${scene.feishu.app.now()}000`,
      event_type: "card.action.trigger",
      tenant_key: scene.feishu.app.tenantKey,
      app_id: scene.feishu.app.appId,
    },
    event: {
      operator: { open_id: openId },
      token: "c-1",
      action: { tag: "button", value },
      context: { open_message_id: scene.feishu.sent[0]?.messageId, open_chat_id: "oc_dm" },
    },
  });
  await deliver(scene, "webhook", pressed("ou_stranger", "press-1"));
  await deliver(scene, "webhook", pressed(USER, "press-2"));
  await scene.waitForSent(2);
  expect(JSON.stringify(scene.feishu.sent[1]?.content)).toMatch(/model/i);
  expect(scene.feishu.sent).toHaveLength(2);
  expect(scene.model.requests).toHaveLength(1);
});

test("a guest's reply, card or reaction reaches no message of the owner's conversation", async () => {
  const guest = { chatId: "oc_guest", senderOpenId: "ou_lisi" };
  await using scene = await startFeishuScene(undefined, { account: { allowFrom: [USER, guest.senderOpenId] } });
  scene.feishu.app.chats.add(guest.chatId);
  scene.model.respond(() => sayText("Hello."));
  await say(scene, "webhook", "hello");
  await scene.waitForSent(1);
  const replyTo = `om_${messages.toString(16).padStart(32, "c")}`;
  const answers = [
    callTools(
      { name: "message", arguments: { action: "send", message: "Reply OK", replyTo } },
      { name: "message", arguments: { action: "card", card: CARD, replyTo } },
      { name: "message", arguments: { action: "react", messageId: replyTo, emoji: "👍" } },
    ),
    sayText("Done."),
  ];
  scene.model.respond(() => answers.shift() ?? sayText("Fine."));
  await say(scene, "webhook", "write to the owner", guest);
  await scene.waitForSent(2);
  expect(newestMessage(scene).match(/is not known as a message or thread of that conversation/g)).toHaveLength(3);
  expect(scene.feishu.sent.slice(1)).toMatchObject([{ receiveId: guest.chatId }]);
});

test("a mention in a running thread is answered there, and the model gets the thread's earlier messages", async () => {
  await using scene = await startFeishuScene(undefined, { account: { groupPolicy: "open" } });
  const { feishu } = scene;
  feishu.app.chats.add("oc_group");
  feishu.app.chatInfo.set("oc_group", { name: "Builds", members: [{ openId: "ou_lisi", name: "Li Si" }] });
  const thread = { chatId: "oc_group", threadId: "omt_1", senderOpenId: "ou_lisi" };
  feishu.addInbound({ ...thread, messageId: "om_root", content: { text: "The build is red" } });
  feishu.addInbound({ ...thread, messageId: "om_reply", rootId: "om_root", content: { text: "Since noon" } });
  scene.model.respond(() => sayText("Looking."));
  const { openId } = feishu.app.bot;
  const mention = {
    chatType: "group" as const,
    rootId: "om_root",
    parentId: "om_root",
    mentions: [{ key: "@_user_1", openId, name: "Factotum" }],
  };
  await say(scene, "webhook", "@_user_1 why?", { chatId: "oc_group", threadId: "omt_1", ...mention });
  await scene.waitForSent(1);
  expect(feishu.sent[0]).toMatchObject({ receiveId: "oc_group", replyInThread: true, threadId: "omt_1" });
  for (const shown of ["The build is red", "Since noon", "Li Si"]) expect(newestMessage(scene)).toContain(shown);
  await scene.killAndStart();
  await say(scene, "webhook", "@_user_1 and now?", { chatId: "oc_group", threadId: "omt_1", ...mention });
  await scene.waitForSent(2);
  expect(newestMessage(scene)).not.toContain("The build is red");
});
