import type { FakeSlackApp, SlackConversation } from "./app.ts";
import { checkContents, checkMarkdownText, parseList } from "./checks.ts";
import { SlackRefusal } from "./faults.ts";
import { asSlackFile, asSlackMessage } from "./message-store.ts";
import type { SlackMessage, SlackMessageStore } from "./message-store.ts";

/** The state behind the methods. */
export interface SlackMethodContext {
  readonly app: FakeSlackApp;
  readonly store: SlackMessageStore;
  readonly baseUrl: () => string;
  readonly openSocket: () => string;
  /** True while the messages that show a file are not named. */
  readonly hidesShares: () => boolean;
  /** Announced uploads: id to name and length. */
  readonly uploads: Map<string, { readonly name: string; readonly length: number; bytes?: Uint8Array }>;
}

/** One method of the Web API. */
export interface SlackMethod {
  /** Scopes of which one is needed. */
  readonly scopes?: readonly string[];
  /** Whether it shows, changes or removes something. */
  readonly isChange?: boolean;
  call(fields: Readonly<Record<string, string>>, context: SlackMethodContext): object;
}

type Fields = Readonly<Record<string, string>>;

const HISTORY = ["channels:history", "groups:history", "im:history", "mpim:history"];
const READ = ["channels:read", "groups:read", "im:read", "mpim:read"];

/** The methods of the Web API by name. */
export const SLACK_METHODS: Readonly<Record<string, SlackMethod>> = {
  "auth.test": {
    call: (_, { app, baseUrl }) => ({
      url: `${baseUrl()}/`,
      team: "Team",
      user: app.bot.name,
      team_id: app.teamId,
      user_id: app.bot.userId,
      bot_id: app.bot.botId,
    }),
  },
  "apps.connections.open": { call: (_, { openSocket }) => ({ url: openSocket() }) },
  "chat.postMessage": { scopes: ["chat:write"], isChange: true, call: postMessage },
  "chat.postEphemeral": {
    scopes: ["chat:write"],
    isChange: true,
    call: (fields, context) => {
      const conversation = writable(fields, context);
      if (!context.app.users.has(fields["user"] ?? "")) throw new SlackRefusal("user_not_in_channel");
      const message = post(fields, context, conversation, { ephemeralFor: fields["user"] ?? "" });
      return { message_ts: message.ts };
    },
  },
  "chat.update": {
    scopes: ["chat:write"],
    isChange: true,
    call: (fields, context) => {
      const message = own(fields, context, "cant_update_message");
      if (message.stream === "open") throw new SlackRefusal("streaming_state_conflict");
      const { text, blocks } = checkContents(fields, { isEdit: true });
      Object.assign(message, { text, ...(fields["blocks"] !== undefined && { blocks }), edits: message.edits + 1 });
      return { channel: message.channel, ts: message.ts, text };
    },
  },
  "chat.delete": {
    scopes: ["chat:write"],
    isChange: true,
    call: (fields, context) => {
      const message = own(fields, context, "cant_delete_message");
      message.deleted = true;
      return { channel: message.channel, ts: message.ts };
    },
  },
  "chat.startStream": { scopes: ["chat:write"], isChange: true, call: startStream },
  "chat.appendStream": {
    scopes: ["chat:write"],
    isChange: true,
    call: (fields, context) => {
      const message = streaming(fields, context);
      message.text += checkMarkdownText(fields["markdown_text"] ?? "");
      return { channel: message.channel, ts: message.ts };
    },
  },
  "chat.stopStream": {
    scopes: ["chat:write"],
    isChange: true,
    call: (fields, context) => {
      const message = streaming(fields, context);
      message.text += checkMarkdownText(fields["markdown_text"] ?? "");
      message.stream = "ended";
      return { channel: message.channel, ts: message.ts };
    },
  },
  "reactions.add": {
    scopes: ["reactions:write"],
    isChange: true,
    call: (fields, context) => {
      const message = shown(fields, context, "timestamp");
      const name = (fields["name"] ?? "").replaceAll(":", "");
      if (!/^[a-z0-9_+'-]+$/.test(name)) throw new SlackRefusal("invalid_name");
      const reaction = message.reactions.find((one) => one.name === name);
      if (reaction?.users.includes(context.app.bot.userId)) throw new SlackRefusal("already_reacted");
      if (reaction === undefined) message.reactions.push({ name, users: [context.app.bot.userId] });
      else reaction.users.push(context.app.bot.userId);
      return {};
    },
  },
  "reactions.remove": {
    scopes: ["reactions:write"],
    isChange: true,
    call: (fields, context) => {
      const message = shown(fields, context, "timestamp");
      const index = message.reactions.findIndex(({ name, users }) => name === fields["name"] && users.includes(context.app.bot.userId));
      if (index === -1) throw new SlackRefusal("no_reaction");
      message.reactions.splice(index, 1);
      return {};
    },
  },
  "reactions.get": {
    scopes: ["reactions:read"],
    call: (fields, context) => ({ type: "message", message: asSlackMessage(context.app, shown(fields, context, "timestamp")) }),
  },
  "pins.add": {
    scopes: ["pins:write"],
    call: (fields, context) => {
      const message = shown(fields, context, "timestamp");
      if (message.pinned) throw new SlackRefusal("already_pinned");
      message.pinned = true;
      return {};
    },
  },
  "pins.remove": {
    scopes: ["pins:write"],
    call: (fields, context) => {
      const message = shown(fields, context, "timestamp");
      if (!message.pinned) throw new SlackRefusal("no_pin");
      message.pinned = false;
      return {};
    },
  },
  "pins.list": {
    scopes: ["pins:read"],
    call: (fields, context) => {
      const { id } = existing(fields, context);
      const pinned = context.store.messages.filter((message) => message.channel === id && message.pinned && !message.deleted);
      return { items: pinned.map((message) => ({ type: "message", channel: id, message: asSlackMessage(context.app, message) })) };
    },
  },
  "emoji.list": { scopes: ["emoji:read"], call: (_, { app }) => ({ emoji: Object.fromEntries(app.emoji) }) },
  "users.info": {
    scopes: ["users:read"],
    call: (fields, { app }) => {
      const user = app.users.get(fields["user"] ?? "");
      if (user === undefined) throw new SlackRefusal("user_not_found");
      return { user: asUser(app, user.id) };
    },
  },
  "users.list": {
    scopes: ["users:read"],
    call: (fields, { app }) =>
      paged(
        fields,
        "members",
        [...app.users.keys()].map((id) => asUser(app, id)),
      ),
  },
  "conversations.info": { scopes: READ, call: (fields, context) => ({ channel: asConversation(existing(fields, context)) }) },
  "conversations.members": {
    scopes: READ,
    call: (fields, context) => paged(fields, "members", membersOf(existing(fields, context), context.app)),
  },
  "conversations.list": {
    scopes: READ,
    call: (fields, { app }) => {
      const types = new Set((fields["types"] ?? "public_channel").split(","));
      const of = { channel: "public_channel", private: "private_channel", im: "im", mpim: "mpim" } as const;
      const listed = [...app.conversations.values()].filter(({ kind }) => types.has(of[kind]));
      return paged(fields, "channels", listed.map(asConversation));
    },
  },
  "conversations.open": {
    scopes: ["im:write"],
    call: (fields, { app }) => {
      const [user = ""] = (fields["users"] ?? "").split(",");
      if (!app.users.has(user)) throw new SlackRefusal("user_not_found");
      const found = [...app.conversations.values()].find(({ kind, userId }) => kind === "im" && userId === user);
      const opened: SlackConversation = found ?? { id: `D0${user.slice(2)}`, kind: "im", name: "", userId: user };
      app.conversations.set(opened.id, opened);
      return { channel: { id: opened.id } };
    },
  },
  "conversations.history": { scopes: HISTORY, call: (fields, context) => history(fields, context, { isThread: false }) },
  "conversations.replies": { scopes: HISTORY, call: (fields, context) => history(fields, context, { isThread: true }) },
  "files.getUploadURLExternal": {
    scopes: ["files:write"],
    call: (fields, { store, uploads, baseUrl }) => {
      const length = Number(fields["length"]);
      if (!(length > 0) || fields["filename"] === undefined) throw new SlackRefusal("invalid_arguments");
      const id = store.nextFileId();
      uploads.set(id, { name: fields["filename"], length });
      return { upload_url: `${baseUrl()}/upload/v1/${id}`, file_id: id };
    },
  },
  "files.completeUploadExternal": { scopes: ["files:write"], isChange: true, call: completeUpload },
  "files.info": {
    scopes: ["files:read"],
    call: (fields, { store, baseUrl, hidesShares }) => {
      const file = store.files.get(fields["file"] ?? "");
      if (file === undefined) throw new SlackRefusal("file_not_found");
      const shares: Record<string, object[]> = {};
      for (const { channel, ts, threadTs } of hidesShares() ? [] : file.shares)
        (shares[channel] ??= []).push({ ts, ...(threadTs !== undefined && { thread_ts: threadTs }) });
      const url = `${baseUrl()}/files-pri/T0TEAM-${file.id}/${encodeURIComponent(file.name)}`;
      return { file: { ...asSlackFile(file), url_private: url, url_private_download: url, shares: { private: shares } } };
    },
  },
  "files.delete": {
    scopes: ["files:write"],
    isChange: true,
    call: (fields, { store }) => {
      if (!store.files.delete(fields["file"] ?? "")) throw new SlackRefusal("file_not_found");
      return {};
    },
  },
};

function postMessage(fields: Fields, context: SlackMethodContext): object {
  const message = post(fields, context, writable(fields, context));
  return { channel: message.channel, ts: message.ts, message: asSlackMessage(context.app, message) };
}

function post(
  fields: Fields,
  { app, store }: SlackMethodContext,
  { id }: SlackConversation,
  extra: Partial<SlackMessage> = {},
): SlackMessage {
  const threadTs = threadOf(fields, store, id);
  const { text, blocks } = checkContents(fields, { isEdit: false });
  return store.add({
    channel: id,
    user: app.bot.userId,
    isOwn: true,
    text,
    blocks,
    ...(threadTs !== undefined && { threadTs }),
    ...(fields["metadata"] !== undefined && { metadata: JSON.parse(fields["metadata"]) as unknown }),
    ...extra,
  });
}

function startStream(fields: Fields, context: SlackMethodContext): object {
  const { app, store } = context;
  const conversation = writable(fields, context);
  const threadTs = threadOf(fields, store, conversation.id);
  if (conversation.kind === "im" && threadTs === undefined) throw new SlackRefusal("invalid_thread_ts");
  if (conversation.kind !== "im" && (fields["recipient_user_id"] === undefined || fields["recipient_team_id"] === undefined))
    throw new SlackRefusal("missing_recipient_user_id");
  const text = checkMarkdownText(fields["markdown_text"] ?? "");
  const message = store.add({
    channel: conversation.id,
    user: app.bot.userId,
    isOwn: true,
    text,
    stream: "open",
    ...(threadTs !== undefined && { threadTs }),
  });
  return { channel: message.channel, ts: message.ts };
}

function completeUpload(fields: Fields, context: SlackMethodContext): object {
  const { app, store, uploads } = context;
  const listed = parseList(fields["files"], "invalid_arguments") as readonly { readonly id: string; readonly title?: string }[];
  const files = listed.map(({ id }) => {
    const upload = uploads.get(id);
    if (upload?.bytes === undefined) throw new SlackRefusal("file_not_found");
    const file = { id, name: upload.name, mimeType: "application/octet-stream", bytes: upload.bytes, shares: [] };
    return file;
  });
  for (const file of files) store.files.set(file.id, file);
  if (fields["channel_id"] !== undefined) {
    const { id } = writable({ channel: fields["channel_id"] }, context);
    const threadTs = threadOf(fields, store, id);
    const text = fields["initial_comment"] ?? "";
    const thread = threadTs === undefined ? {} : { threadTs };
    const { ts } = store.add({ channel: id, user: app.bot.userId, isOwn: true, text, files, ...thread });
    for (const file of files) (file.shares as object[]).push({ channel: id, ts, ...thread });
  }
  return { files: files.map(({ id }) => ({ id, title: id })) };
}

function history(fields: Fields, context: SlackMethodContext, { isThread }: { readonly isThread: boolean }): object {
  const { app, store } = context;
  const { id } = existing(fields, context);
  let found = store.list(id);
  if (isThread) {
    const target = store.find(id, fields["ts"] ?? "");
    if (target === undefined) throw new SlackRefusal("thread_not_found");
    found = target.threadTs === undefined ? store.list(id, target.ts) : [target];
  }
  const oldest = Number(fields["oldest"] ?? 0);
  const latest = Number(fields["latest"] ?? Number.POSITIVE_INFINITY);
  const inRange = found.filter(
    ({ ts }) => Number(ts) > oldest && (fields["inclusive"] === "true" ? Number(ts) <= latest : Number(ts) < latest),
  );
  const options = { metadata: fields["include_all_metadata"] === "true" };
  const limit = Number(fields["limit"] ?? 100);
  const from = Number(fields["cursor"] ?? 0);
  const page = (isThread ? inRange : inRange.toReversed()).slice(from, from + limit);
  // The first message of a thread is in the answer whatever the range is.
  const [root] = found;
  if (isThread && root !== undefined && from === 0 && page[0] !== root) page.unshift(root);
  const hasMore = inRange.length > from + limit;
  return {
    messages: page.map((message) => ({
      ...asSlackMessage(app, message, options),
      ...(isThread && message === root && found.length > 1 && { latest_reply: found.at(-1)?.ts }),
    })),
    has_more: hasMore,
    ...(hasMore && { response_metadata: { next_cursor: String(from + limit) } }),
  };
}

function membersOf({ userId, members }: SlackConversation, { bot, users }: FakeSlackApp): readonly string[] {
  const people = members ?? (userId === undefined ? [...users.keys()].filter((id) => id !== bot.userId) : [userId]);
  return [...people, bot.userId];
}

function paged(fields: Fields, name: string, all: readonly unknown[]): object {
  const limit = Number(fields["limit"] ?? 100);
  const from = Number(fields["cursor"] ?? 0);
  const next = from + limit < all.length ? String(from + limit) : "";
  return { [name]: all.slice(from, from + limit), response_metadata: { next_cursor: next } };
}

function existing(fields: Fields, { app }: SlackMethodContext): SlackConversation {
  const id = fields["channel"] ?? "";
  const byUser = [...app.conversations.values()].find(({ kind, userId }) => kind === "im" && userId === id);
  const found = app.conversations.get(id) ?? byUser;
  if (found === undefined) throw new SlackRefusal("channel_not_found");
  return found;
}

function writable(fields: Fields, context: SlackMethodContext): SlackConversation {
  const found = existing(fields, context);
  if (found.isMember === false) throw new SlackRefusal("not_in_channel");
  return found;
}

function threadOf(fields: Fields, store: SlackMessageStore, channel: string): string | undefined {
  const threadTs = fields["thread_ts"];
  if (threadTs === undefined) return undefined;
  if (store.find(channel, threadTs) === undefined) throw new SlackRefusal("thread_not_found");
  return threadTs;
}

function shown(fields: Fields, context: SlackMethodContext, key: "ts" | "timestamp"): SlackMessage {
  const { id } = existing(fields, context);
  const message = context.store.find(id, fields[key] ?? "");
  if (message === undefined) throw new SlackRefusal("message_not_found");
  return message;
}

function own(fields: Fields, context: SlackMethodContext, refusal: string): SlackMessage {
  const message = shown(fields, context, "ts");
  if (!message.isOwn) throw new SlackRefusal(refusal);
  return message;
}

function streaming(fields: Fields, context: SlackMethodContext): SlackMessage {
  const message = own(fields, context, "message_not_owned_by_app");
  if (message.stream !== "open") throw new SlackRefusal("message_not_in_streaming_state");
  return message;
}

function asUser(app: FakeSlackApp, id: string): object {
  const user = app.users.get(id);
  return {
    id,
    team_id: app.teamId,
    name: user?.name,
    real_name: user?.realName,
    is_bot: user?.isBot === true,
    deleted: false,
    tz: "Europe/Berlin",
    profile: { real_name: user?.realName, display_name: user?.realName },
  };
}

function asConversation({ id, kind, name, topic, userId, isMember }: SlackConversation): object {
  return {
    id,
    ...(kind === "im" ? { user: userId } : { name }),
    is_channel: kind === "channel",
    is_group: kind === "private",
    is_im: kind === "im",
    is_mpim: kind === "mpim",
    is_private: kind !== "channel",
    is_member: isMember !== false,
    topic: { value: topic ?? "" },
    purpose: { value: "" },
    num_members: 3,
  };
}
