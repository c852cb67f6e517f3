import { expect, test } from "vitest";
import { ALICE, BOB, GROUP, startScene } from "../../test/scene.ts";
import type { MatrixScene } from "../../test/scene.ts";

const soon = (): { readonly signal: AbortSignal } => ({ signal: AbortSignal.timeout(60_000) });

async function act(
  { channel, host }: MatrixScene,
  name: "thread-list" | "thread-create" | "member-info" | "permissions" | "read",
  parameters: object,
  threadId?: string,
): Promise<unknown> {
  const conversation = { kind: "group", id: GROUP, ...(threadId !== undefined && { threadId }) } as const;
  const target = { channel: "matrix", accountId: host.accountId, conversation };
  return (await channel.act({ name, target, parameters: { ...parameters } }, soon())).value;
}

test("a thread with a message is listed by the message that it began with, and read with its messages", async () => {
  await using scene = await startScene();
  const say = (body: string, relation: object = {}): string =>
    scene.matrix.store.append({ roomId: GROUP, type: "m.room.message", sender: BOB, content: { msgtype: "m.text", body, ...relation } })
      .event_id;
  const root = say("Plans\nfor the week");
  const inside = say("inside", { "m.relates_to": { rel_type: "m.thread", event_id: root } });
  expect(await act(scene, "thread-list", { limit: 10 })).toEqual({ threads: [{ threadId: root, name: "Plans" }] });
  expect(await act(scene, "read", { limit: 10 }, root)).toMatchObject({
    messages: [{ messageId: root }, { messageId: inside, text: "inside" }],
  });
  expect(await act(scene, "read", { limit: 10, before: inside }, root)).toMatchObject({ messages: [{ messageId: root }] });
  await expect(act(scene, "thread-create", { name: "x", messageId: inside })).rejects.toMatchObject({ code: "rejected" });
});

test("members have the roles of their power", async () => {
  await using scene = await startScene();
  expect(await act(scene, "member-info", { userId: ALICE })).toEqual({ id: ALICE, name: "Alice", roles: ["admin"] });
  await expect(act(scene, "member-info", { userId: "@nobody:fake.example" })).rejects.toMatchObject({ code: "not-found" });
  expect(await act(scene, "permissions", {})).toMatchObject({ granted: expect.arrayContaining(["m.room.message", "redact"]) as unknown });
});
