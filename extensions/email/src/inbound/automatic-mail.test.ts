import { expect, test } from "vitest";
import { ADDRESS, Scene } from "../../test/scene.ts";

const HEADERS = [
  "Auto-Submitted: auto-replied",
  "Auto-Submitted: auto-generated (vacation)",
  "Precedence: bulk",
  "Precedence: LIST",
  "X-Auto-Response-Suppress: DR, OOF, AutoReply",
  "X-Autoreply: yes",
  "List-Id: <team.example.org>",
  "List-Unsubscribe: <mailto:leave@example.org>",
];

test("ignores mail of programs, and says why at debug", async () => {
  await using scene = await Scene.start();
  for (const header of HEADERS) await scene.ignore({ headers: [header] });
  await scene.ignore({ trace: ["Return-Path: <>"] });
  for (const local of ["noreply", "no-reply", "do_not_reply", "mailer-daemon", "postmaster", "bounce+17", "shop-noreply"])
    await scene.ignore({ from: `${local}@people.example` });
  await scene.ignore({ from: ADDRESS });
  expect(scene.host.logLines.filter((line) => line.includes("mail ignored"))).toHaveLength(HEADERS.length + 9);
  expect(scene.channel.health().detail).toBeUndefined();
});

test("ignores a report about a mail that could not be delivered, and warns of it", async () => {
  await using scene = await Scene.start();
  await scene.ignore(
    Buffer.from(
      "From: Mail <mail@people.example>\r\nMessage-ID: <r@x>\r\nContent-Type: multipart/report; report-type=delivery-status; boundary=b\r\n\r\n--b--\r\n",
    ),
  );
  expect(scene.host.logLines.filter((line) => line.includes("a mail server reports"))).toHaveLength(1);
});

test("answers mail of people that looks only a little like that", async () => {
  await using scene = await Scene.start();
  await scene.receive({ headers: ["Auto-Submitted: no", "Precedence: normal", "X-Auto-Response-Suppress: DR"] });
  await scene.receive({ from: "noreplyson@people.example" });
  expect(scene.host.received).toHaveLength(2);
});
