import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { matrixRelationIn } from "@factotum/testing-channels";
import { runCommand } from "@factotum/testing-product";
import { createGate, sayText } from "@factotum/testing-providers";
import { expect, test } from "vitest";
import { BOB, DIRECT, GROUP, OWNER, startMatrixScene } from "./matrix-scene.ts";
import type { MatrixScene } from "./matrix-scene.ts";

/** The newest prompt of the model, as text. */
function newestPrompt({ model }: MatrixScene): string {
  return JSON.stringify(model.requests.at(-1)?.body?.["messages"]);
}

function bodies(scene: MatrixScene): readonly unknown[] {
  return scene.matrix.sent.map((event) => scene.matrix.contentOf(event)["body"]);
}

const REPORT = Buffer.from("quarter,sales\n1,4711\n");

test("a text is answered once; after a kill what was written meanwhile is answered, with edits and reactions", async () => {
  await using scene = await startMatrixScene();
  const { matrix } = scene;
  scene.model.respond(() => sayText("**Hello** & welcome"));
  const question = scene.say("Good morning");
  const [answer] = await scene.shown((sent) => sent.length === 1);
  expect(answer).toMatchObject({
    room_id: DIRECT,
    content: { body: "**Hello** & welcome", formatted_body: "<strong>Hello</strong> &amp; welcome" },
  });
  await scene.kill();
  scene.model.respond(() => sayText("Still here"));
  const target = { rel_type: "m.replace", event_id: question.event_id };
  scene.say({
    msgtype: "m.text",
    body: "* Good evening",
    "m.new_content": { msgtype: "m.text", body: "Good evening" },
    "m.relates_to": target,
  });
  scene.say({ "m.relates_to": { rel_type: "m.annotation", event_id: answer?.event_id, key: "🎉" } }, { type: "m.reaction" });
  scene.say("And now?");
  await scene.start();
  await scene.shown((all) => all.length >= 2);
  expect(bodies(scene)).toEqual(["**Hello** & welcome", "Still here"]);
  for (const shown of ["Good evening", "🎉"]) expect(newestPrompt(scene)).toContain(shown);
  expect(scene.model.requests).toHaveLength(2);
  expect(scene.product.output()).not.toContain(matrix.app.bot.token);
});

test("files arrive and are sent byte for byte, and an answer that grows is one message that is edited", async () => {
  await using scene = await startMatrixScene({ streaming: { mode: "partial" } });
  const { matrix } = scene;
  await writeFile(path.join(scene.workspace, "report.csv"), REPORT);
  scene.model.respond(() => sayText("Here it is.\nMEDIA:report.csv"));
  const url = matrix.addFile({ name: "in.csv", mimeType: "text/csv", bytes: REPORT });
  scene.say({ msgtype: "m.file", body: "Send it back", filename: "in.csv", url, info: { mimetype: "text/csv", size: REPORT.length } });
  const sent = await scene.shown((all) => all.some(({ content }) => content["msgtype"] === "m.file"));
  const file = sent.find(({ content }) => content["msgtype"] === "m.file")?.content as { readonly filename: string; readonly url: string };
  expect(file.filename).toBe("report.csv");
  expect(Buffer.from(matrix.app.files.get(file.url.split("/").at(-1) ?? "")?.bytes ?? [])).toEqual(REPORT);
  const [, received = ""] = /file: (\/[^)]*)\)\]/.exec(newestPrompt(scene)) ?? [];
  expect(await readFile(received)).toEqual(REPORT);
  const before = matrix.sent.length;
  const gate = createGate();
  const text = "This is one sentence of a long answer. ".repeat(20).trim();
  scene.model.respond(() => ({ ...sayText(text), fault: { type: "stall", afterBytes: 2_500, until: gate } }));
  scene.say("Tell me");
  const preview = (await scene.shown((all) => all.length === before + 1)).at(-1);
  if (preview === undefined) throw new Error("there is no preview");
  expect(text.startsWith(String(preview.content["body"]))).toBe(true);
  gate.open();
  await scene.shown(() => matrix.contentOf(preview)["body"] === text);
  expect(matrix.sent).toHaveLength(before + 1);
});

test("a thread is a conversation of its own, a command is answered, and a room needs a mention", async () => {
  await using scene = await startMatrixScene();
  const { matrix } = scene;
  scene.model.respond(() => sayText("Noted."));
  const root = scene.say("We need a plan", { roomId: GROUP, sender: BOB });
  scene.say(
    {
      msgtype: "m.text",
      body: "Factotum: remember it",
      "m.mentions": { user_ids: [matrix.app.bot.id] },
      "m.relates_to": {
        rel_type: "m.thread",
        event_id: root.event_id,
        is_falling_back: true,
        "m.in_reply_to": { event_id: root.event_id },
      },
    },
    { roomId: GROUP },
  );
  const [answer] = await scene.shown((sent) => sent.length === 1);
  expect(answer?.content["body"]).toBe("Noted.");
  expect(matrixRelationIn(answer?.content ?? {})).toMatchObject({ type: "m.thread", eventId: root.event_id });
  for (const shown of ["We need a plan", "Family", "remember it"]) expect(newestPrompt(scene)).toContain(shown);
  expect(newestPrompt(scene)).not.toContain("Factotum: remember");
  scene.say("/whoami");
  const sent = await scene.shown((all) => all.length === 2);
  expect(String(sent[1]?.content["body"])).toContain(OWNER);
  expect(scene.model.requests).toHaveLength(1);
});

test("an invitation is followed, and an encrypted room gets one line, also after a restart", async () => {
  await using scene = await startMatrixScene();
  const { store, app } = scene.matrix;
  scene.model.respond(() => sayText("Hello there."));
  const room = store.createRoom({ creator: OWNER, invited: [app.bot.id], isDirect: true });
  await scene.shown(() => room.membershipOf(app.bot.id) === "join");
  scene.say("Hi", { roomId: room.id });
  await scene.shown((sent) => sent.some((event) => event.room_id === room.id && event.content["body"] === "Hello there."));
  const secret = store.createRoom({ creator: OWNER, invited: [app.bot.id], isDirect: true, isEncrypted: true });
  const lines = (): number => scene.matrix.sent.filter(({ room_id: id }) => id === secret.id).length;
  await scene.shown(() => lines() === 1);
  await scene.kill();
  scene.say({ algorithm: "m.megolm.v1.aes-sha2", ciphertext: "AwgA" }, { roomId: secret.id, type: "m.room.encrypted" });
  scene.say("Still there?");
  await scene.start();
  await scene.shown((sent) => sent.some((event) => event.room_id === DIRECT));
  expect(lines()).toBe(1);
});

test.each([
  ["a wrong token", { accessToken: "syt_wrong" }, "the access token is wrong or was revoked"],
  [
    "a token of another user",
    { userId: "@other:fake.example", accessToken: "syt_ZmFjdG90dW0_secretOfTheBot" },
    "the access token belongs to @factotum:fake.example",
  ],
])("%s is reported with what to do", async (_, account, said) => {
  await using scene = await startMatrixScene(account);
  const probe = await runCommand(["channels", "probe", "matrix:default"], { home: scene.home });
  expect(`${probe.stdout}${probe.stderr}`).toContain(said);
  const status = await runCommand(["channels", "status"], { home: scene.home });
  expect(`${status.stdout}${status.stderr}`).toContain(said);
});
