import { FakeIrc } from "@factotum/testing-channels";
import type { IrcUser } from "@factotum/testing-channels";
import type { MixedPlatform, ShownReply } from "./mixed-platform.ts";

const NICK = "factotum";
const PASSWORD = "irc-sasl-secret";
const PEOPLE = ["alice", "bob", "carol"];
const ROOMS = ["#team", "#other"];

interface Account {
  readonly name: string;
  readonly irc: FakeIrc;
  readonly users: readonly IrcUser[];
}

/** Two IRC networks, one for each account. */
export async function startIrcMixedPlatform(): Promise<MixedPlatform> {
  const accounts = await Promise.all(["one", "two"].map(startAccount));
  const placeOf = (conversation: string): { readonly account: Account; readonly target: string } => {
    const [name = "", target = ""] = conversation.split("/");
    const account = accounts.find((one) => one.name === name);
    if (account === undefined) throw new Error(`no account ${name}`);
    return { account, target };
  };
  const isConnected = ({ irc }: Account): boolean => ROOMS.every((room) => irc.channel(room).clients.size === 1);
  return {
    name: "irc",
    guarantee: { inbound: "once", outbound: "at-most-once" },
    conversations: accounts.flatMap(({ name }) => [...PEOPLE, ...ROOMS].map((target) => `${name}/${target}`)),
    kinds: ["message", "message", "message", "command"],
    allows: () => true,
    config: {
      owners: accounts.flatMap(({ name }) => PEOPLE.map((person) => `irc/${name}:account:${person}`)),
      channels: { irc: { accounts: Object.fromEntries(accounts.map(({ name, irc }) => [name, accountConfig(irc)])) } },
    },
    async connected() {
      for (const account of accounts) await account.irc.until(() => isConnected(account));
    },
    create: () => undefined,
    async deliver(event) {
      const { account, target } = placeOf(event.conversation);
      if (!isConnected(account)) return false;
      const isRoom = target.startsWith("#");
      const user = account.users[isRoom ? event.person : PEOPLE.indexOf(target)];
      if (user === undefined) throw new Error(`there is no person ${event.person}`);
      // A bouncer's playback repeats the id.
      account.irc.say(user, isRoom ? target : NICK, isRoom ? `${NICK}: ${event.text}` : ` ${event.text}`, { id: event.id });
      return true;
    },
    redelivers: () => false,
    disconnect() {
      for (const { irc } of accounts) irc.disconnect();
    },
    get shown() {
      return accounts.flatMap(({ name, irc }) =>
        irc.messages.map(({ id, target, text }): ShownReply => ({ id: `${name}/${id}`, conversation: `${name}/${target}`, text })),
      );
    },
    watch(listener) {
      for (const { irc } of accounts) {
        let seen = 0;
        irc.watch(() => {
          if (irc.messages.length === seen) return;
          seen = irc.messages.length;
          listener();
        });
      }
    },
    async [Symbol.asyncDispose]() {
      for (const { irc } of accounts) await irc[Symbol.asyncDispose]();
    },
  };
}

async function startAccount(name: string): Promise<Account> {
  const irc = await FakeIrc.start({ accounts: { [NICK]: PASSWORD }, flood: { penaltyMs: 0, maxMs: 1 } });
  const users = PEOPLE.map((person) => irc.addUser(person, { account: person }));
  for (const room of ROOMS) for (const user of users) irc.joinUser(user, room);
  return { name, irc, users };
}

function accountConfig({ port }: FakeIrc): object {
  return {
    host: "127.0.0.1",
    port,
    tls: false,
    nick: NICK,
    sasl: { account: NICK, password: PASSWORD },
    channels: ROOMS,
    flood: { burst: 100, intervalMs: 0 },
    allowFrom: PEOPLE.map((person) => `account:${person}`),
    dmPolicy: "allowlist",
    groupPolicy: "open",
  };
}
