import { describe, expect, test } from "vitest";
import { splitReply } from "./split-reply.ts";

const reply = (text: string) => splitReply(text, { isReply: true, isForward: false });

describe("a reply", () => {
  test.each([
    [
      "Yes.\n\nOn Mon, 5 Jan 2026 at 10:00, Assistant <assistant@example.org> wrote:\n\n> Shall I?\n> Really?",
      "Yes.",
      "Shall I?\n> Really?",
    ],
    ["Ja.\n\nAm Mo., 5. Jan. 2026 um 10:00 Uhr schrieb Assistant <assistant@example.org>:\n> Soll ich?", "Ja.", "Soll ich?"],
    ["Yes.\n\nOn Mon, 5 Jan 2026 at 10:00, Assistant\n<assistant@example.org> wrote:\n> Shall I?", "Yes.", "Shall I?"],
    ["Oui.\n\nLe lun. 5 janv. 2026 à 10:00, Assistant a écrit :\n> On y va ?", "Oui.", "On y va ?"],
    ["Yes.\n\n-----Original Message-----\nFrom: Assistant\nShall I?", "Yes.", "Shall I?"],
    ["Yes.\n\n________________________________\nFrom: Assistant\nSent: Monday\nTo: Alice\nSubject: Plans\n\nShall I?", "Yes.", "Shall I?"],
    ["Ja.\n\nVon: Assistant\nGesendet: Montag\nAn: Alice\nBetreff: Plan\n\nSoll ich?", "Ja.", "Soll ich?"],
    ["Yes.\n\n> Shall I?\n", "Yes.", "Shall I?"],
    ["On Mon, 5 Jan 2026, Assistant wrote:\n> Shall I?\n>\n> Really?\n\nYes.", "Yes.", "Shall I?"],
    ["> Shall I?\nYes.", "Yes.", "Shall I?"],
    ["Да.\n\nпн, 5 янв. 2026 г., Assistant написал(а):\n> Начать?", "Да.", "Начать?"],
  ])("is separated from the mail below it: %#", (text, own, quoted) => {
    const split = reply(text);
    expect(split.own).toBe(own);
    expect(split.quoted).toContain(quoted.split("\n")[0]);
    expect(split.forwarded).toBeUndefined();
  });

  test.each([
    "> Shall I?\nYes.\n\n> Today?\nNo, tomorrow.",
    "On Mon, Assistant wrote:\n> Shall I?\nYes.\n> Today?\nNo.",
    "From: here to there\nit is far",
    "As Bob wrote: it is far.",
    "> only a quote",
  ])("whose own words are between or around quotes stays whole: %#", (text) => {
    expect(reply(text)).toEqual({ own: text });
  });

  test("loses a signature that is marked as one, and no rule of Markdown", () => {
    expect(reply("Yes.\n\n-- \nAlice\nCompany")).toEqual({ own: "Yes." });
    expect(reply("Yes.\n\n---\nNo.")).toEqual({ own: "Yes.\n\n---\nNo." });
  });
});

test("a first mail keeps its quotes and headers", () => {
  const text = "Look:\n\n> a quote\n\nFrom: Bob\nSent: Monday\nTo: Alice";
  expect(splitReply(text, { isReply: false, isForward: false })).toEqual({ own: text });
});

describe("a forwarded mail", () => {
  test.each([
    ["See below.\n\n---------- Forwarded message ---------\nFrom: Bob <bob@x.example>\nSubject: Offer\n\nBuy this.", false],
    ["See below.\n\nBegin forwarded message:\n\nFrom: Bob <bob@x.example>\nSubject: Offer\n\nBuy this.", false],
    ["See below.\n\nFrom: Bob <bob@x.example>\nSent: Monday\nTo: Alice\nSubject: Offer\n\nBuy this.", true],
  ])("is kept apart: %#", (text, isForward) => {
    const split = splitReply(text, { isReply: false, isForward });
    expect(split.own).toBe("See below.");
    expect(split.forwarded).toContain("Buy this.");
  });
});

test("takes no long time for a hostile text", () => {
  const startedAt = performance.now();
  for (const piece of ["On ", "> ", "From: a\n", "wrote", "-- \n", ">\n", "_".repeat(20)]) reply(piece.repeat(100_000));
  expect(performance.now() - startedAt).toBeLessThan(5_000);
});

test("120,000 lines that each look like the beginning of a quote are split in linear time", () => {
  const text = Array.from({ length: 120_000 }, () => "wrote:\n> x").join("\n");
  expect(JSON.stringify(reply(text)).length).toBeGreaterThan(1_000_000);
  expect(reply(`${text}\nEnd`).own).toContain("End");
  expect(reply(`On ${"wrote: ".repeat(100_000)}${" ".repeat(100_000)}x`).own).toContain("wrote");
});
