import type { Socket } from "node:net";
import { ImapReader, parseCommand } from "./imap-command.ts";
import type { ImapCommand, ImapValue } from "./imap-command.ts";
import { fetchItems } from "./imap-fetch.ts";
import { inUids, searchFolder } from "./imap-search.ts";
import type { MailFolder } from "./mail-folder.ts";

/** What a session needs of its server. */
export interface ImapServer {
  readonly folders: ReadonlyMap<string, MailFolder>;
  readonly hasIdle: boolean;
  checkLogin(user: string, password: string): "right" | "wrong" | "unavailable";
  /** Checks a login by SASL XOAUTH2; `undefined` for a server without it. */
  readonly checkToken: ((user: string, token: string) => boolean) | undefined;
  /** Called with every command, before it is run. */
  onCommand(command: ImapCommand): void;
  onSelected(): void;
  onEnd(): void;
}

/** One connection of a client, as strict as a server: no command before its state, and no change of a folder that was only examined. */
export class ImapSession {
  readonly #server: ImapServer;
  readonly #socket: Socket;
  readonly #reader = new ImapReader();
  #isLoggedIn = false;
  #folder: MailFolder | undefined;
  #isReadOnly = true;
  #idleTag: string | undefined;
  /** The login whose refusal the client has to confirm. */
  #challengedTag: string | undefined;
  /** Mails that the client knows of. */
  #known = 0;

  constructor(socket: Socket, server: ImapServer) {
    this.#socket = socket;
    this.#server = server;
    socket.on("data", (chunk: Buffer) => {
      for (const text of this.#reader.add(chunk, () => this.#write("+ go on"))) this.#take(text);
    });
    socket.on("error", () => undefined);
    socket.once("close", () => server.onEnd());
    this.#write(`* OK [CAPABILITY ${this.#capabilities}] ready`);
  }

  get isSelected(): boolean {
    return this.#folder !== undefined;
  }

  /** A folder has changed: an idle client learns of it at once, others with their next command. */
  changed(folder: MailFolder): void {
    if (folder === this.#folder && this.#idleTag !== undefined) this.#report();
  }

  /** Breaks the connection without a word. */
  drop(): void {
    this.#socket.destroy();
  }

  /** Sends bytes without the end of a line. */
  flood(bytes: Uint8Array): void {
    this.#socket.write(bytes);
  }

  get #capabilities(): string {
    const { hasIdle, checkToken } = this.#server;
    return `IMAP4rev1 LITERAL+ SPECIAL-USE${hasIdle ? " IDLE" : ""}${checkToken === undefined ? "" : " SASL-IR AUTH=XOAUTH2"}`;
  }

  #take(text: string): void {
    if (this.#idleTag !== undefined) {
      const tag = this.#idleTag;
      if (text.toUpperCase() !== "DONE") return this.#end(`${tag} BAD DONE is expected`);
      this.#idleTag = undefined;
      return this.#write(`${tag} OK idled`);
    }
    if (this.#challengedTag !== undefined) {
      const tag = this.#challengedTag;
      this.#challengedTag = undefined;
      return this.#write(text === "" ? `${tag} NO [AUTHENTICATIONFAILED] the token is not valid` : `${tag} BAD an empty line is expected`);
    }
    const command = parseCommand(text);
    if (command === undefined) return this.#write("* BAD no command");
    this.#server.onCommand(command);
    if (this.#socket.destroyed) return;
    const { tag, name } = command;
    if (this.#takeAnywhere(command)) return;
    if (!this.#isLoggedIn) return this.#write(`${tag} BAD log in first`);
    if (name === "LIST" || name === "LSUB") return this.#list(command);
    if (name === "SELECT" || name === "EXAMINE") return this.#select(command);
    if (name === "APPEND") return this.#append(command);
    if (this.#folder === undefined) return this.#write(`${tag} BAD no folder is open`);
    this.#takeSelected(command, this.#folder);
  }

  #takeAnywhere({ tag, name, values }: ImapCommand): boolean {
    switch (name) {
      case "CAPABILITY":
        this.#write(`* CAPABILITY ${this.#capabilities}`, `${tag} OK done`);
        return true;
      case "NOOP":
        this.#report();
        this.#write(`${tag} OK done`);
        return true;
      case "LOGOUT":
        this.#write("* BYE bye", `${tag} OK done`);
        this.#socket.end();
        return true;
      case "LOGIN": {
        const answer = this.#server.checkLogin(String(values[0] ?? ""), String(values[1] ?? ""));
        this.#isLoggedIn = answer === "right";
        if (answer === "right") this.#write(`${tag} OK [CAPABILITY ${this.#capabilities}] logged in`);
        else if (answer === "unavailable") this.#write(`${tag} NO [UNAVAILABLE] the directory does not answer`);
        else this.#write(`${tag} NO [AUTHENTICATIONFAILED] Authentication failed.`);
        return true;
      }
      case "AUTHENTICATE":
        this.#authenticate(tag, values);
        return true;
      default:
        return false;
    }
  }

  #authenticate(tag: string, [mechanism, response]: readonly ImapValue[]): void {
    const { checkToken } = this.#server;
    if (checkToken === undefined || mechanism !== "XOAUTH2") return this.#write(`${tag} NO this mechanism is not supported`);
    const text = Buffer.from(String(response ?? ""), "base64").toString();
    const [first = "", second = "", ...rest] = text.split("\u0001");
    const [, user] = /^user=([^]*)$/.exec(first) ?? [];
    const [, token] = /^auth=Bearer ([^]*)$/.exec(second) ?? [];
    if (user === undefined || token === undefined || rest.length !== 2 || rest.join("") !== "")
      return this.#write(`${tag} BAD this is no response of XOAUTH2`);
    this.#isLoggedIn = checkToken(user, token);
    if (this.#isLoggedIn) return this.#write(`${tag} OK [CAPABILITY ${this.#capabilities}] logged in`);
    this.#challengedTag = tag;
    this.#write(`+ ${Buffer.from('{"status":"401","schemes":"bearer"}').toString("base64")}`);
  }

  #takeSelected({ tag, name, values }: ImapCommand, folder: MailFolder): void {
    switch (name) {
      case "IDLE":
        if (!this.#server.hasIdle) return this.#write(`${tag} BAD unknown command`);
        this.#idleTag = tag;
        this.#write("+ idling");
        return this.#report();
      case "UID SEARCH":
        try {
          const found = searchFolder(folder, values);
          this.#report();
          return this.#write(["* SEARCH", ...found].join(" "), `${tag} OK done`);
        } catch (error) {
          if (error instanceof TypeError) return this.#write(`${tag} BAD ${error.message}`);
          throw error;
        }
      case "UID FETCH":
        return this.#fetch(tag, values, folder);
      case "UID STORE":
      case "UID MOVE":
      case "UID EXPUNGE":
      case "EXPUNGE":
        return this.#write(this.#isReadOnly ? `${tag} NO the folder is read-only` : `${tag} BAD not supported`);
      case "CLOSE":
      case "UNSELECT":
        this.#folder = undefined;
        return this.#write(`${tag} OK done`);
      default:
        return this.#write(`${tag} BAD unknown command ${name}`);
    }
  }

  #fetch(tag: string, [set, items]: readonly ImapValue[], folder: MailFolder): void {
    const matches = inUids(folder, String(set ?? ""));
    const wanted = typeof items === "string" ? [items] : (items ?? []).map(String);
    for (const [index, mail] of folder.mails.entries()) {
      if (!matches(mail)) continue;
      const parts = fetchItems(mail, wanted);
      if (parts === undefined) return this.#write(`${tag} BAD unknown item`);
      this.#socket.write(Buffer.concat([Buffer.from(`* ${index + 1} FETCH (`), parts, Buffer.from(")\r\n")]));
    }
    this.#write(`${tag} OK done`);
  }

  #list({ tag, name, values }: ImapCommand): void {
    const pattern = String(values[1] ?? "");
    const shown = [...this.#server.folders.values()].filter(({ path }) => pattern === "*" || pattern.toLowerCase() === path.toLowerCase());
    for (const { path, specialUse } of shown)
      this.#write(`* ${name} (\\HasNoChildren${specialUse === undefined ? "" : ` ${specialUse}`}) "/" "${path}"`);
    this.#write(`${tag} OK done`);
  }

  #select({ tag, name, values }: ImapCommand): void {
    const folder = this.#find(values[0]);
    this.#folder = folder;
    if (folder === undefined) return this.#write(`${tag} NO [NONEXISTENT] there is no such folder`);
    this.#isReadOnly = name === "EXAMINE";
    this.#known = folder.mails.length;
    this.#write(
      "* FLAGS (\\Answered \\Flagged \\Deleted \\Seen \\Draft)",
      `* ${this.#known} EXISTS`,
      "* 0 RECENT",
      `* OK [UIDVALIDITY ${folder.uidValidity}] valid`,
      `* OK [UIDNEXT ${folder.uidNext}] next`,
      `${tag} OK [${this.#isReadOnly ? "READ-ONLY" : "READ-WRITE"}] done`,
    );
    this.#server.onSelected();
  }

  #append({ tag, values }: ImapCommand): void {
    const folder = this.#find(values[0]);
    if (folder === undefined) return this.#write(`${tag} NO [TRYCREATE] there is no such folder`);
    const flags = values.find((value) => typeof value !== "string") ?? [];
    folder.append(Buffer.from(String(values.at(-1) ?? ""), "latin1"), { flags: typeof flags === "string" ? [] : flags.map(String) });
    this.#write(`${tag} OK done`);
  }

  #find(value: ImapValue | undefined): MailFolder | undefined {
    const path = String(value ?? "");
    return this.#server.folders.get(path.toUpperCase() === "INBOX" ? "INBOX" : path);
  }

  #report(): void {
    const { length } = this.#folder?.mails ?? [];
    if (this.#folder === undefined || length === this.#known) return;
    // A mail that was removed is reported by its number; which one does not matter to clients here.
    for (; this.#known > length; this.#known -= 1) this.#write(`* ${this.#known} EXPUNGE`);
    this.#known = length;
    this.#write(`* ${length} EXISTS`);
  }

  #end(text: string): void {
    this.#write(text);
    this.#socket.end();
  }

  #write(...lines: readonly string[]): void {
    if (!this.#socket.destroyed) this.#socket.write(`${lines.join("\r\n")}\r\n`, "latin1");
  }
}
