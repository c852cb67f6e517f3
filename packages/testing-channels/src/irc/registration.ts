import type { IrcClient } from "./client.ts";
import { foldName } from "./line.ts";
import type { CommandHandler, IrcServer } from "./server.ts";

/** Commands that a client may send before it is registered. */
export const REGISTRATION_COMMANDS: Readonly<Record<string, CommandHandler>> = {
  CAP(server, client, { params: [subcommand = "", list = ""] }) {
    const name = client.registered ? client.nick : "*";
    switch (subcommand.toUpperCase()) {
      case "LS":
        client.negotiating = !client.registered;
        return client.send(`:${server.name} CAP ${name} LS :${server.caps.map((cap) => (cap === "sasl" ? "sasl=PLAIN" : cap)).join(" ")}`);
      case "REQ": {
        const wanted = list.split(" ").filter((cap) => cap !== "");
        const isKnown = wanted.every((cap) => server.caps.includes(cap));
        if (isKnown) for (const cap of wanted) client.caps.add(cap);
        return client.send(`:${server.name} CAP ${name} ${isKnown ? "ACK" : "NAK"} :${list}`);
      }
      case "END":
        client.negotiating = false;
        return server.register(client);
      default:
        return server.numeric(client, "410", [subcommand], "Invalid CAP command");
    }
  },
  PASS(_, client, { params: [password = ""] }) {
    client.password = password;
  },
  NICK(server, client, { params: [nick = ""] }) {
    server.changeNick(client, nick);
  },
  USER(server, client, { params: [user = ""] }) {
    client.user = `~${user}`;
    server.register(client);
  },
  AUTHENTICATE(server, client, { params: [data = ""] }) {
    if (!client.has("sasl")) return server.numeric(client, "904", [], "SASL authentication failed");
    if (data.toUpperCase() === "PLAIN") return client.send("AUTHENTICATE +");
    const [, account = "", password = ""] = Buffer.from(data, "base64").toString("utf8").split("\0");
    if (server.accounts[account] !== password) return server.numeric(client, "904", [], "SASL authentication failed");
    client.account = account;
    server.numeric(client, "900", [client.mask, account], `You are now logged in as ${account}`);
    server.numeric(client, "903", [], "SASL authentication successful");
  },
  PING(server, client, { params: [token = ""] }) {
    server.answerPing(client, token);
  },
  PONG(server, client, { params }) {
    server.ponged(client, params.at(-1) ?? "");
  },
  QUIT(server, client, { params: [reason = ""] }) {
    server.end(client, `Quit: ${reason}`);
  },
};

/** Checks a nickname as the server does; the numeric of the refusal, or `undefined`. */
export function nickRefusal(server: IrcServer, client: IrcClient, nick: string): "431" | "432" | "433" | undefined {
  if (nick === "") return "431";
  if (!/^[A-Za-z[\]\\`_^{|}][\w[\]\\`^{|}-]*$/.test(nick)) return "432";
  const taken = server.nickOwner(nick);
  return taken === undefined || taken === client || foldName(client.nick) === foldName(nick) ? undefined : "433";
}
