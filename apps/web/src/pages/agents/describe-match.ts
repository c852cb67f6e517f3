import type { AgentBinding } from "@factotum/protocol";
import { t } from "../../i18n/t.ts";

/** Which messages a binding matches, in words. */
export function describeMatch({ channel, accountId, peer, guildId, roles, teamId }: AgentBinding["match"]): string {
  const parts = [
    accountId === undefined ? channel : accountId === "*" ? t("{channel}, every account", { channel }) : `${channel}/${accountId}`,
    ...(peer === undefined ? [] : [describePeer(peer)]),
    ...(guildId === undefined ? [] : [t("server {id}", { id: guildId })]),
    ...(roles === undefined ? [] : [t("roles {ids}", { ids: roles.join(", ") })]),
    ...(teamId === undefined ? [] : [t("team {id}", { id: teamId })]),
  ];
  return parts.join(" · ");
}

function describePeer({ kind, id }: NonNullable<AgentBinding["match"]["peer"]>): string {
  const isAny = id === "*";
  switch (kind) {
    case "direct":
      return isAny ? t("every direct message") : t("direct messages of {id}", { id });
    case "group":
      return isAny ? t("every group") : t("group {id}", { id });
    case "channel":
      return isAny ? t("every channel") : t("channel {id}", { id });
  }
}
