import { feishuEnvelope, feishuMessageEvent, feishuWebhookRequest } from "@factotum/testing-channels";
import type { FeishuEnvelope } from "@factotum/testing-channels";
import { sayText } from "@factotum/testing-providers";
import { expect, test } from "vitest";
import { startFeishuScene } from "./feishu-scene.ts";

/** The last message of a request, as JSON. */
function newestMessage(body: Readonly<Record<string, unknown>> | undefined): string {
  const messages = body?.["messages"];
  return JSON.stringify(Array.isArray(messages) ? (messages.at(-1) as unknown) : undefined);
}

test("a reaction starts no turn; the next message shows it to the model once, also after a restart", async () => {
  await using scene = await startFeishuScene();
  const { feishu, model } = scene;
  model.respond(() => sayText("Done."));
  const deliver = async (payload: FeishuEnvelope): Promise<void> => {
    const { status } = await fetch(feishuWebhookRequest(feishu.app, `${scene.product.url}/channels/feishu/default`, payload));
    expect(status).toBe(200);
  };
  const say = async (messageId: string, answers: number): Promise<string> => {
    feishu.addInbound({ messageId, chatId: "oc_dm", senderOpenId: "ou_zhangsan" });
    await deliver(
      feishuMessageEvent(feishu.app, {
        chatId: "oc_dm",
        chatType: "p2p",
        messageType: "text",
        content: { text: "hello" },
        senderOpenId: "ou_zhangsan",
        messageId,
      }),
    );
    await expect.poll(() => feishu.sent.length).toBe(answers);
    return newestMessage(model.requests.at(-1)?.body);
  };
  await say("om_1123456789abcdef1123456789abcdef", 1);
  await deliver(
    feishuEnvelope(feishu.app, {
      eventType: "im.message.reaction.created_v1",
      event: {
        message_id: feishu.sent[0]?.messageId,
        reaction_type: { emoji_type: "THUMBSUP" },
        operator_type: "user",
        user_id: { open_id: "ou_zhangsan", union_id: "on_zhangsan", user_id: null },
        action_time: String(feishu.app.now()),
      },
    }),
  );
  expect(model.requests).toHaveLength(1);
  await scene.killAndStart();
  expect(await say("om_2123456789abcdef2123456789abcdef", 2)).toMatch(/System: .*reacted with .*👍.* to your message/);
  expect(await say("om_3123456789abcdef3123456789abcdef", 3)).not.toContain("reacted");
});
