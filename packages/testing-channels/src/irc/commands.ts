import type { IrcClient } from "./client.ts";
import { foldName } from "./line.ts";
import type { CommandHandler, IrcServer } from "./server.ts";

/** Commands of registered clients. */
export const COMMANDS: Readonly<Record<string, CommandHandler>> = {
  JOIN(server, client, { params: [names = "", keys = ""] }) {
    const given = keys.split(",");
    for (const [index, name] of names.split(",").entries()) server.join(client, name, given[index] ?? "");
  },
  PART(server, client, { params: [name = ""] }) {
    server.leave(client, name, `:${client.mask} PART ${name}`);
  },
  PRIVMSG(server, client, line) {
    server.relay(client, line);
  },
  NOTICE(server, client, line) {
    server.relay(client, line);
  },
  MODE(server, client, { params: [target = ""] }) {
    server.numeric(client, target.startsWith("#") ? "324" : "221", [target, "+nt"], "");
  },
  WHOIS(server, client, { params }) {
    const nick = params.at(-1) ?? "";
    const owner = server.nickOwner(nick);
    if (owner === undefined) server.numeric(client, "401", [nick], "No such nick/channel");
    else {
      const [, user = "", host = ""] = /!(.*)@(.*)/.exec(owner.mask) ?? [];
      server.numeric(client, "311", [owner.nick, user, host, "*"], owner.nick);
      if (owner.account !== undefined) server.numeric(client, "330", [owner.nick, owner.account], "is logged in as");
    }
    server.numeric(client, "318", [nick], "End of /WHOIS list");
  },
  WHO(server, client, { params: [name = "", fields = ""] }) {
    const token = /,(\d+)$/.exec(fields)?.[1];
    if (token !== undefined && fields.startsWith("%tna")) {
      for (const { nick, account } of server.membersOf(name)) server.numeric(client, "354", [token, nick, account ?? "0"]);
    }
    server.numeric(client, "315", [name], "End of /WHO list");
  },
};

/** Why a message to `target` is refused: a numeric and its explanation. */
export function refusalOf(server: IrcServer, client: IrcClient, target: string): readonly [code: string, text: string] | undefined {
  if (!target.startsWith("#")) return server.nickOwner(target) === undefined ? ["401", "No such nick/channel"] : undefined;
  const channel = server.channels.get(foldName(target));
  if (channel === undefined) return ["403", "No such channel"];
  return channel.clients.has(client) ? undefined : ["404", "Cannot send to channel (+n)"];
}
