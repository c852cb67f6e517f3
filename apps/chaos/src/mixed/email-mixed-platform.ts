import { FakeMail, mailSource } from "@factotum/testing-channels";
import type { SentMail } from "@factotum/testing-channels";
import type { MixedEvent, MixedPlatform, ShownReply } from "./mixed-platform.ts";

const PEOPLE = ["alice", "bob", "carol"].map((name) => `${name}@people.example`);
const AUTHSERV_ID = "mx.example.org";

interface Account {
  readonly name: string;
  readonly mail: FakeMail;
}

/** Two mailboxes, one for each account; every person writes new mails and into a thread. */
export async function startEmailMixedPlatform(): Promise<MixedPlatform> {
  const accounts = await Promise.all(["one", "two"].map(async (name): Promise<Account> => ({ name, mail: await FakeMail.start() })));
  const accountOf = (conversation: string): Account => {
    const account = accounts.find(({ name }) => name === conversation.split("/")[0]);
    if (account === undefined) throw new Error(`There is no account of ${conversation}.`);
    return account;
  };
  return {
    name: "email",
    extension: "email",
    guarantee: { inbound: "redelivers", outbound: "at-most-once" },
    conversations: accounts.flatMap(({ name }) => PEOPLE.flatMap((person) => [`${name}/${person}`, `${name}/${person}/thread`])),
    kinds: ["message", "message", "message", "command"],
    allows: () => true,
    config: {
      owners: accounts.flatMap(({ name }) => PEOPLE.map((person) => `email/${name}:${person}`)),
      channels: { email: { accounts: Object.fromEntries(accounts.map(({ name, mail }) => [name, accountConfig(mail)])) } },
    },
    async connected() {
      for (const { mail } of accounts) await mail.until(() => mail.openConnections === 1);
    },
    create: () => undefined,
    deliver(event) {
      const { mail } = accountOf(event.conversation);
      // The server has it, whether the product runs or not.
      mail.deliver(sourceOf(event));
      return Promise.resolve(true);
    },
    redelivers: () => true,
    disconnect() {
      for (const { mail } of accounts) mail.disconnect();
    },
    get shown() {
      return accounts.flatMap(({ name, mail }) => mail.sent.map((sent) => toReply(name, sent)));
    },
    watch(listener) {
      for (const { mail } of accounts) mail.watch(listener);
    },
    async [Symbol.asyncDispose]() {
      for (const { mail } of accounts) await mail[Symbol.asyncDispose]();
    },
  };
}

function sourceOf({ id, conversation, text }: MixedEvent): Buffer {
  const [, person = "", thread] = conversation.split("/");
  return mailSource({
    from: person,
    messageId: `<${id}@people.example>`,
    text,
    references: thread === undefined ? [] : [rootOf(person)],
    trace: [`Authentication-Results: ${AUTHSERV_ID}; dmarc=pass header.from=people.example`],
    atMs: Date.now(),
  });
}

function toReply(name: string, { to, messageId, references, text }: SentMail): ShownReply {
  return { id: `${name}/${messageId}`, conversation: `${name}/${to}${references[0] === rootOf(to) ? "/thread" : ""}`, text };
}

function rootOf(person: string): string {
  return `<root.${person}>`;
}

function accountConfig({ user, password, imapPort, smtpPort }: FakeMail): object {
  return {
    address: user,
    imap: { host: "127.0.0.1", port: imapPort, tls: false, user, password },
    smtp: { host: "127.0.0.1", port: smtpPort, tls: false },
    senderVerification: { authservId: AUTHSERV_ID },
    allowFrom: PEOPLE,
    dmPolicy: "allowlist",
  };
}
