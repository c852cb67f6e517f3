import type { GuildRole } from "../context/guild-roles.ts";

/** A rule of a channel for a role or a person. */
export interface Overwrite {
  readonly id: string;
  readonly allow: string;
  readonly deny: string;
}

/** Permissions that matter to a bot that writes, by the platform's names and bits. */
export const PERMISSION_BITS: readonly (readonly [name: string, bit: number])[] = [
  ["ADMINISTRATOR", 3],
  ["ADD_REACTIONS", 6],
  ["VIEW_CHANNEL", 10],
  ["SEND_MESSAGES", 11],
  ["MANAGE_MESSAGES", 13],
  ["EMBED_LINKS", 14],
  ["ATTACH_FILES", 15],
  ["READ_MESSAGE_HISTORY", 16],
  ["MENTION_EVERYONE", 17],
  ["USE_EXTERNAL_EMOJIS", 18],
  ["MANAGE_THREADS", 34],
  ["CREATE_PUBLIC_THREADS", 35],
  ["CREATE_PRIVATE_THREADS", 36],
  ["SEND_MESSAGES_IN_THREADS", 38],
  ["SEND_VOICE_MESSAGES", 46],
  ["SEND_POLLS", 49],
  ["PIN_MESSAGES", 51],
];

const ADMINISTRATOR = 1n << 3n;

/** What a member may do in a channel: everybody's rights and those of its roles, changed by the rules of the channel, its own last. */
export function permissionsOf({
  guildId,
  userId,
  memberRoles,
  roles,
  overwrites,
}: {
  readonly guildId: string;
  readonly userId: string;
  readonly memberRoles: readonly string[];
  readonly roles: readonly GuildRole[];
  readonly overwrites: readonly Overwrite[];
}): readonly string[] {
  // Everybody has the role with the id of the server.
  const own = roles.filter(({ id }) => id === guildId || memberRoles.includes(id));
  const base = own.reduce((bits, { permissions }) => bits | permissions, 0n);
  if ((base & ADMINISTRATOR) !== 0n) return PERMISSION_BITS.map(([name]) => name);
  const everybody = overwrites.filter(({ id }) => id === guildId);
  const ofRoles = overwrites.filter(({ id }) => id !== guildId && memberRoles.includes(id));
  const ofMember = overwrites.filter(({ id }) => id === userId);
  const bits = [everybody, ofRoles, ofMember].reduce((sum, rules) => {
    const denied = rules.reduce((all, { deny }) => all | BigInt(deny), 0n);
    const allowed = rules.reduce((all, { allow }) => all | BigInt(allow), 0n);
    return (sum & ~denied) | allowed;
  }, base);
  return PERMISSION_BITS.filter(([, bit]) => (bits & (1n << BigInt(bit))) !== 0n).map(([name]) => name);
}
