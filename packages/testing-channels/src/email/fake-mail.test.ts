import { once } from "node:events";
import { connect } from "node:net";
import { expect, test } from "vitest";
import { FakeMail } from "./fake-mail.ts";
import { mailSource } from "./mail-source.ts";

/** Sends lines one after the other, each after the answer to the one before, and returns the answers. */
async function talk(port: number, lines: readonly string[], isAnswer: RegExp): Promise<readonly string[]> {
  const socket = connect(port, "127.0.0.1");
  const answers: string[] = [];
  const next = async (): Promise<string> => {
    let text = "";
    while (!isAnswer.test(text)) text += String((await once(socket, "data"))[0]);
    return text;
  };
  await next();
  for (const line of lines) {
    const answer = next();
    socket.write(`${line}\r\n`);
    answers.push(await answer);
  }
  socket.destroy();
  return answers;
}

const imap = (fake: FakeMail, lines: readonly string[]): Promise<readonly string[]> =>
  talk(fake.imapPort, lines, /^(?:\* OK .*|\w+ (?:OK|NO|BAD).*|\+ .*)\r\n$/m);
const smtp = (fake: FakeMail, lines: readonly string[]): Promise<readonly string[]> => talk(fake.smtpPort, lines, /^\d{3} .*\r\n$/m);
const LOGIN = 'a LOGIN "assistant@example.org" "mail-password"';

test("takes no command before its state, and no wrong password", async () => {
  await using fake = await FakeMail.start();
  const answers = await imap(fake, ["a EXAMINE INBOX", "a LOGIN x y", LOGIN, "a UID SEARCH ALL", "a EXAMINE Nowhere", "a FROBNICATE"]);
  expect(answers.map((answer) => answer.slice(0, 5).trim())).toEqual(
    ["a BAD", "a NO", "a OK", "a BAD", "a NO [", "a BAD"].map((one) => one.slice(0, 5).trim()),
  );
  expect(fake.refusedLogins).toBe(1);
});

test("changes nothing in a folder that was examined, and marks a mail as read that is not peeked at", async () => {
  await using fake = await FakeMail.start();
  const { flags } = fake.deliver(mailSource({ from: "a@people.example", messageId: "<a@x>", text: "Hello" }));
  const answers = await imap(fake, [LOGIN, "a EXAMINE INBOX", "a UID STORE 1 +FLAGS (\\Seen)", "a UID FETCH 1 (BODY.PEEK[TEXT])"]);
  expect(answers[2]).toMatch(/^a NO/);
  expect(answers[3]).toContain(Buffer.from("Hello").toString("base64"));
  expect(flags.size).toBe(0);
  await imap(fake, [LOGIN, "a SELECT INBOX", "a UID FETCH 1 (BODY[TEXT])"]);
  expect([...flags]).toEqual(["\\Seen"]);
});

test("describes the parts of a mail, and gives ranges of them", async () => {
  await using fake = await FakeMail.start();
  fake.deliver(
    mailSource({
      from: "a@people.example",
      messageId: "<a@x>",
      text: "Hello",
      html: "<p>Hello</p>",
      files: [{ name: "ü.txt", bytes: Buffer.from("1") }],
    }),
  );
  const [, , structure, part, range, missing, last] = await imap(fake, [
    LOGIN,
    "a EXAMINE INBOX",
    "a UID FETCH 1 (BODYSTRUCTURE)",
    "a UID FETCH 1 (BODY.PEEK[1.2.MIME])",
    "a UID FETCH 1 (BODY.PEEK[1.1]<1.3>)",
    "a UID FETCH 1 (BODY.PEEK[7])",
    "a UID SEARCH UID 5:*",
  ]);
  expect(structure).toContain('("text" "html" ("charset" "utf-8") NIL NIL "base64"');
  expect(structure).toContain('("attachment" ("filename*" "utf-8\'\'%C3%BC.txt"))');
  expect(part).toContain("text/html");
  expect(range).toContain(`BODY[1.1]<1> {3}\r\n${Buffer.from("Hello").toString("base64").slice(1, 4)}`);
  expect(missing).toContain("BODY[7] NIL");
  expect(last).toContain("* SEARCH 1");
});

test("wants a login for sending, and refuses recipients that do not exist", async () => {
  await using fake = await FakeMail.start();
  const login = Buffer.from("\0assistant@example.org\0mail-password").toString("base64");
  const answers = await smtp(fake, [
    "EHLO x",
    "MAIL FROM:<assistant@example.org>",
    `AUTH PLAIN ${Buffer.from("\0x\0y").toString("base64")}`,
    `AUTH PLAIN ${login}`,
    "MAIL FROM:<assistant@example.org>",
    "RCPT TO:<nobody@nowhere.example>",
    "RCPT TO:<alice@people.example>",
  ]);
  expect(answers.map((answer) => answer.slice(0, 3))).toEqual(["250", "530", "535", "235", "250", "550", "250"]);
});
