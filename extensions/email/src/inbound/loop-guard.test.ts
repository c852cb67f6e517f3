import { expect, test } from "vitest";
import { Scene } from "../../test/scene.ts";

async function answer(scene: Scene, question: Awaited<ReturnType<Scene["receive"]>>): Promise<string> {
  const { threadId = "" } = question.origin.conversation;
  const receipt = await scene.send(
    { type: "text", text: "An answer." },
    { to: { threadId }, replyContext: question.replyContext?.data ?? "" },
  );
  return receipt.type === "accepted" ? (receipt.messageIds[0] ?? "") : "";
}

test("a program that answers every answer at once is refused after five in an hour, and the health says so", async () => {
  await using scene = await Scene.start();
  let id = await answer(scene, await scene.receive({ subject: "Hello" }));
  for (let round = 0; round < 5; round += 1) id = await answer(scene, await scene.receive({ subject: "Re: Hello", references: [id] }));
  await scene.ignore({ subject: "Re: Hello", references: [id] });
  expect(scene.channel.health().detail).toContain("alice@people.example answers faster than a person can");
  scene.clock.advance(60 * 60 * 1_000);
  expect(scene.channel.health().detail).toBeUndefined();
  await scene.receive({ subject: "Re: Hello", references: [id] });
});

test("a program that names no mail is recognised by the subject", async () => {
  await using scene = await Scene.start();
  for (let round = 0; round < 6; round += 1)
    await answer(scene, await scene.receive({ subject: round === 0 ? "Hello" : "Automatic reply: Hello" }));
  await scene.ignore({ subject: "Automatic reply: Hello" });
});

test("a person who takes a while, and other threads, are answered on", async () => {
  await using scene = await Scene.start();
  let id = await answer(scene, await scene.receive({ subject: "Hello" }));
  for (let round = 0; round < 8; round += 1) {
    scene.clock.advance(21_000);
    id = await answer(scene, await scene.receive({ subject: "Re: Hello", references: [id] }));
  }
  for (let round = 0; round < 8; round += 1) await answer(scene, await scene.receive({ text: `Question ${round}` }));
  expect(scene.channel.health().detail).toBeUndefined();
});
