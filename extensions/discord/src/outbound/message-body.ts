/** A message in the platform's form, as far as sending and changing one share it. */
export interface MessageBody {
  readonly content: string;
  readonly flags: number;
  readonly allowed_mentions: AllowedMentions;
  readonly components?: readonly object[];
}

/** Who is notified by a message: only those who are named here, whatever its text contains. */
interface AllowedMentions {
  readonly parse: readonly never[];
  readonly users: readonly string[];
  readonly replied_user: boolean;
}

const SUPPRESS_EMBEDS = 1 << 2;
const SUPPRESS_NOTIFICATIONS = 1 << 12;
/** People that a message may name. */
const MAX_USERS = 100;

/** A message without previews of its links. */
export function messageBody(
  content: string,
  {
    userIds = [],
    silent = false,
    components,
  }: {
    readonly userIds?: readonly string[];
    readonly silent?: boolean | undefined;
    readonly components?: readonly object[] | undefined;
  } = {},
): MessageBody {
  return {
    content,
    flags: SUPPRESS_EMBEDS | (silent ? SUPPRESS_NOTIFICATIONS : 0),
    allowed_mentions: { parse: [], users: userIds.slice(0, MAX_USERS), replied_user: false },
    ...(components !== undefined && { components }),
  };
}
