import { ChannelError, messageId } from "@factotum/channel-contract";
import type {
  ActionName,
  ActionMessage,
  CallOptions,
  Card,
  ChannelAction,
  ChannelHost,
  DirectoryEntry,
  HistoryMessage,
  NativeCommand,
  LoginStep,
  MessageId,
  Origin,
  Outbound,
  ProbeResult,
  Reconciliation,
  SendOptions,
} from "@factotum/channel-contract";
import type { ReferenceAnswer, ReferenceCall, ReferenceFacts } from "./reference-platform.ts";

/** Defects of what not every adapter has. */
export type ExtraDefect =
  | "cards-without-fields"
  | "cards-without-buttons"
  | "presses-without-value"
  | "cuts-values"
  | "drops-the-last-button"
  | "card-edit-adds"
  | "card-edit-lies"
  | "drops-inputs"
  | "drops-values-of-inputs"
  | "polls-are-single"
  | "polls-are-cut"
  | "albums-are-first-files"
  | "albums-without-caption"
  | "albums-are-cut"
  | "shows-all"
  | "shows-cards-to-all"
  | "cards-notify"
  | "albums-notify"
  | "notifies-always"
  | "stream-step-is-message"
  | "stream-without-end"
  | "stream-adds-twice"
  | "edit-keeps-growing"
  | "action-lies"
  | "unpin-lies"
  | "action-on-anything"
  | "lists-everything"
  | "reads-backwards"
  | "searches-everywhere"
  | "counts-no-reactions"
  | "threads-of-nothing"
  | "forgets-threads"
  | "knows-nobody"
  | "describes-another-room"
  | "no-emoji"
  | "no-permissions"
  | "probe-starts"
  | "probe-accepts-all"
  | "probe-overlooks-permissions"
  | "directory-by-whole-name"
  | "directory-lists-all"
  | "directory-without-limit"
  | "history-backwards"
  | "history-ignores-before"
  | "history-without-ids"
  | "history-without-authors"
  | "reconcile-always-shown"
  | "reconcile-never-shown"
  | "reconcile-only-at-once"
  | "reconcile-throws"
  | "login-stores-openly"
  | "login-ignores-abort"
  | "no-native-commands"
  | "everything-is-a-command"
  | "words-are-text"
  | "words-are-commands"
  | "no-menu"
  | "menu-never-changes"
  | "drops-moves"
  | "wrong-guarantee"
  | "commits-no-cursor"
  | "ignores-cursor"
  | "no-reply-context"
  | "trusts-reply-context";

/** The platform's API as the adapter calls it. */
export interface ExtraOptions {
  readonly host: ChannelHost;
  readonly is: (defect: ExtraDefect) => boolean;
  readonly call: (call: Unsigned, signal: AbortSignal) => Promise<ReferenceAnswer>;
}

/** A call before its token is added. */
export type Unsigned = DistributiveOmit<Exclude<ReferenceCall, { type: "token" }>, "token">;

type DistributiveOmit<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;

type SendCall = Omit<Extract<ReferenceCall, { type: "send" }>, "token">;

export const MAX_BUTTONS = 4;
export const MAX_POLL_OPTIONS = 4;
export const MAX_FILES = 3;
export const ACTION_NAMES: readonly ActionName[] = [
  "pin",
  "unpin",
  "pins-list",
  "read",
  "search",
  "reactions-list",
  "thread-create",
  "thread-list",
  "member-info",
  "channel-info",
  "emoji-list",
  "permissions",
];

/** The call for a rich outbound; `undefined` if it exceeds a limit. */
export function renderRich(
  outbound: Extract<Outbound, { type: "card" | "poll" | "album" | "edit-card" | "stream" }>,
  { chat, key }: { readonly chat: string; readonly key: string },
  is: ExtraOptions["is"],
): Unsigned | undefined {
  const send = (more: Partial<SendCall>): SendCall => ({ type: "send", chat, text: "", key, ...more });
  switch (outbound.type) {
    case "card": {
      const { buttons = [] } = outbound.card;
      if (buttons.length > MAX_BUTTONS && !is("drops-the-last-button")) return undefined;
      const audience = {
        ...(outbound.onlyFor !== undefined && !is("shows-cards-to-all") && { onlyFor: outbound.onlyFor }),
        ...(outbound.silent === true && !is("cards-notify") && { silent: true }),
      };
      return send({ more: { card: shownCard(outbound.card, is), ...audience }, actions: actionsOf(outbound.card, is) });
    }
    case "edit-card":
      if (is("card-edit-adds")) return send({ more: { card: shownCard(outbound.card, is) } });
      return { type: "change", id: outbound.targetId, change: { card: shownCard(outbound.card, is) } };
    case "poll": {
      const { question, options, multiple } = outbound.poll;
      if (options.length > MAX_POLL_OPTIONS && !is("polls-are-cut")) return undefined;
      const kept = options.slice(0, MAX_POLL_OPTIONS);
      return send({ more: { poll: { question, options: kept, multiple: multiple && !is("polls-are-single") } } });
    }
    case "album": {
      if (outbound.media.length > MAX_FILES && !is("albums-are-cut")) return undefined;
      const files = outbound.media.slice(0, MAX_FILES).map(({ fileName = "", bytes }) => ({ name: fileName, bytes }));
      const text = is("albums-without-caption") ? "" : (outbound.caption ?? "");
      const isSilent = outbound.silent === true && !is("albums-notify");
      const shownFiles = is("albums-are-first-files") ? files.slice(0, 1) : files;
      return send({ text, more: { files: shownFiles, ...(isSilent && { silent: true }) } });
    }
    case "stream": {
      const isGrowing = !outbound.isLast || is("stream-without-end");
      const text = is("stream-adds-twice") ? outbound.text + outbound.added : outbound.text;
      if (outbound.targetId === undefined || is("stream-step-is-message")) return send({ text, more: { isGrowing } });
      return { type: "change", id: outbound.targetId, change: { text, isGrowing } };
    }
  }
}

function shownCard(
  { title = "", body, fields = [], inputs = [], buttons = [] }: Card,
  is: ExtraOptions["is"],
): NonNullable<ReferenceFacts["messages"][number]["card"]> {
  const shownFields = is("cards-without-fields") ? [] : fields.map(({ label, value }) => `${label}: ${value}`);
  const labels = buttons.map(({ label }) => label);
  return {
    text: [title, body, ...shownFields].join("\n"),
    buttons: is("cards-without-buttons") ? [] : labels.slice(0, is("drops-the-last-button") ? MAX_BUTTONS - 1 : labels.length),
    inputs: is("drops-inputs") ? [] : inputs.map(({ id }) => id),
  };
}

function actionsOf({ buttons = [] }: Card, is: ExtraOptions["is"]): NonNullable<SendCall["actions"]> {
  return Object.fromEntries(
    buttons.map(({ actionId, label, value }) => {
      const kept = is("cuts-values") ? value?.slice(0, 64) : value;
      return [label, { actionId, ...(kept !== undefined && !is("presses-without-value") && { value: kept }) }];
    }),
  );
}

/** Actions and optional methods of the fictional platform. */
export class ReferenceExtras {
  readonly #options: ExtraOptions;

  constructor(options: ExtraOptions) {
    this.#options = options;
  }

  async act({ name, target, parameters }: ChannelAction, { signal }: CallOptions): Promise<{ readonly value: unknown }> {
    const given = parameters as {
      readonly messageId?: MessageId;
      readonly limit?: number;
      readonly before?: MessageId;
      readonly query?: string;
      readonly userId?: string;
      readonly name?: string;
    };
    const { is } = this.#options;
    switch (name) {
      case "pin":
      case "unpin":
        if (is("action-lies") || (name === "unpin" && is("unpin-lies"))) return { value: {} };
        await this.#change(given.messageId ?? messageId(""), { pinned: name === "pin" }, signal);
        return { value: {} };
      case "pins-list":
        return { value: { messages: await this.#messages(target, signal, ({ pinned }) => pinned === true || is("lists-everything")) } };
      case "read": {
        const all = await this.#messages(target, signal);
        const end = all.findIndex((message) => message.messageId === given.before);
        const part = all.slice(0, end === -1 ? all.length : end).slice(-(given.limit ?? 20));
        return { value: { messages: is("reads-backwards") ? part.toReversed() : part } };
      }
      case "search": {
        const where = is("searches-everywhere") ? undefined : target;
        return { value: { messages: await this.#messages(where, signal, ({ text }) => text.includes(given.query ?? "")) } };
      }
      case "reactions-list": {
        const found = (await this.#query("messages", signal)).find((message) => message.messageId === given.messageId);
        const reactions = (found?.reactions ?? []).map((emoji) => ({ emoji, count: 1 }));
        return { value: { reactions: is("counts-no-reactions") ? [] : reactions } };
      }
      case "thread-create": {
        const { value = "" } = await this.#options.call({ type: "thread", name: given.name ?? "" }, signal);
        return { value: { threadId: is("threads-of-nothing") ? "" : value } };
      }
      case "thread-list":
        return { value: { threads: is("forgets-threads") ? [] : await this.#query("threads", signal) } };
      case "member-info": {
        const entry = (await this.#query("directory", signal)).find(({ id }) => id === given.userId);
        return { value: { id: given.userId, ...(entry !== undefined && !is("knows-nobody") && { name: entry.name }) } };
      }
      case "channel-info":
        return { value: { id: is("describes-another-room") ? "dm" : target.conversation.id } };
      case "emoji-list":
        return { value: { emoji: is("no-emoji") ? [] : ["👍", "👎"] } };
      case "permissions":
        return { value: { granted: is("no-permissions") ? [] : ["write"] } };
      default:
        throw new ChannelError("rejected", "not supported", { retry: { type: "never" } });
    }
  }

  /** `check` rejects if the credential is refused. */
  async probe({ signal }: CallOptions, check: () => Promise<void>): Promise<ProbeResult> {
    const { is } = this.#options;
    if (is("probe-accepts-all")) return { account: { id: "bot" }, missingPermissions: [] };
    await check();
    const { id, mayRead } = await this.#query("me", signal);
    return { account: { id }, missingPermissions: mayRead || is("probe-overlooks-permissions") ? [] : ["read"] };
  }

  async directory(query: string, { signal, limit }: CallOptions & { readonly limit: number }): Promise<readonly DirectoryEntry[]> {
    const { is } = this.#options;
    const folded = query.toLowerCase();
    const entries = (await this.#query("directory", signal)).filter(({ name }) => {
      if (is("directory-lists-all")) return true;
      return is("directory-by-whole-name") ? name === query || query === "" : name.toLowerCase().includes(folded);
    });
    return entries.slice(0, is("directory-without-limit") ? entries.length : limit);
  }

  async history(
    target: Origin,
    { signal, limit, before }: CallOptions & { readonly limit: number; readonly before?: MessageId },
  ): Promise<readonly HistoryMessage[]> {
    const { is } = this.#options;
    const all = await this.#messages(target, signal);
    const end = all.findIndex((message) => message.messageId === before);
    const part = all.slice(0, end === -1 || is("history-ignores-before") ? all.length : end).slice(-limit);
    const messages = part.map(({ messageId: id, sender, timestampMs, text }) => ({
      ...(!is("history-without-ids") && { messageId: id }),
      sender,
      ...(!is("history-without-authors") && { senderId: sender, isSelf: true }),
      timestampMs,
      body: text,
    }));
    return is("history-backwards") ? messages.toReversed() : messages;
  }

  async reconcile(
    key: string,
    { sentAtMs: givenMs, signal }: Pick<SendOptions, "signal"> & { readonly sentAtMs: number },
  ): Promise<Reconciliation> {
    const { is } = this.#options;
    try {
      const messages = await this.#query("messages", signal);
      const isInTime = (atMs: number): boolean => !is("reconcile-only-at-once") || atMs < givenMs + 60_000;
      const found = messages.find((message) => message.key === key && isInTime(message.sentAtMs));
      if (found === undefined && !(is("reconcile-always-shown") && messages.length > 0)) return { type: "not-shown" };
      if (is("reconcile-never-shown")) return { type: "not-shown" };
      return { type: "shown", messageIds: [messageId((found ?? messages[0])?.messageId ?? "")] };
    } catch (error) {
      if (is("reconcile-throws")) throw error;
      return { type: "unknown" };
    }
  }

  async *login({ signal }: CallOptions): AsyncGenerator<LoginStep> {
    const { host, is } = this.#options;
    yield { type: "qr", content: "reference:login:7", text: "Scan this code" };
    if (!is("login-ignores-abort")) signal.throwIfAborted();
    await host.state.set("login", { type: "json", json: { session: 7 } }, { isSecret: !is("login-stores-openly") });
    yield { type: "done", text: "Logged in" };
  }

  /** The command in words after the platform's general command. */
  commandOrText(text: string): NativeCommand | undefined {
    const [, slash = "", name = "", argumentsText = ""] = /^(\/?)(\S+)\s*(.*)$/.exec(text) ?? [];
    if (slash === "" && this.#options.is("words-are-text")) return undefined;
    return { name, argumentsText, ...(slash === "" && !this.#options.is("words-are-commands") && { mayBeText: true }) };
  }

  /** Keeps the platform's menu up to date, until disposed. */
  followCommands(signal: AbortSignal): Disposable {
    const { host, is } = this.#options;
    const set = (): void => {
      const names = host.commands.list().map(({ name }) => name);
      if (!is("no-menu")) this.#options.call({ type: "menu", names }, signal).catch(() => undefined);
    };
    set();
    return is("menu-never-changes") ? { [Symbol.dispose]: () => undefined } : host.commands.onChange(set);
  }

  async #messages(
    target: Origin | undefined,
    signal: AbortSignal,
    isWanted: (message: ReferenceFacts["messages"][number]) => boolean = () => true,
  ): Promise<readonly ActionMessage[]> {
    const all = await this.#query("messages", signal);
    return all
      .filter((message) => (target === undefined || message.conversationId === target.conversation.id) && isWanted(message))
      .map((message) => ({ messageId: messageId(message.messageId), sender: "bot", timestampMs: message.sentAtMs, text: message.text }));
  }

  async #change(id: MessageId, change: Extract<ReferenceCall, { type: "change" }>["change"], signal: AbortSignal): Promise<void> {
    const { status } = await this.#options.call({ type: "change", id, change }, signal);
    if (status !== 200 && !this.#options.is("action-on-anything"))
      throw new ChannelError("not-found", "there is no such message", { retry: { type: "never" } });
  }

  async #query<What extends keyof ReferenceFacts>(what: What, signal: AbortSignal): Promise<ReferenceFacts[What]> {
    const { value = "null" } = await this.#options.call({ type: "query", what }, signal);
    return JSON.parse(value) as ReferenceFacts[What];
  }
}
