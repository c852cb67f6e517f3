import { createServer } from "node:net";
import type { AddressInfo, Server, Socket } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import { IrcClient, MAX_LINE_BYTES } from "./client.ts";
import { COMMANDS, refusalOf } from "./commands.ts";
import { foldName, parseLine } from "./line.ts";
import type { IrcLine } from "./line.ts";
import { KNOWN_CAPS } from "./options.ts";
import type { FakeIrcOptions, IrcFault, IrcMessage, IrcUser } from "./options.ts";
import { nickRefusal, REGISTRATION_COMMANDS } from "./registration.ts";
import type { IrcChannel, IrcServer } from "./server.ts";

/**
 * An IRC network of one server on loopback, written from RFC 1459, RFC 2812 and the IRCv3 specifications, and as strict as a server: it kills floods, cuts lines
 * over 512 bytes as their recipients would see them, and accepts nothing before the registration.
 */
export class FakeIrc implements IrcServer, AsyncDisposable {
  readonly name = "irc.fake.example";
  readonly caps: readonly string[];
  readonly accounts: Readonly<Record<string, string>>;
  readonly channels: Map<string, IrcChannel> = new Map();
  readonly users: Map<string, IrcUser> = new Map();
  /** Messages of clients, as their recipients see them. */
  readonly messages: IrcMessage[] = [];
  /** Lines of clients that a server would cut or refuse: over the limit, or with a byte that no line may have. */
  readonly violations: string[] = [];
  /** All lines of clients. */
  readonly lines: string[] = [];
  /** Messages that clients have asked for, shown or not. */
  sendRequests = 0;
  /** Registrations since the start. */
  registrations = 0;
  /** The text with which new connections are refused: a ban, or a throttle. */
  refusal: { readonly numeric?: string; readonly text: string } | undefined;
  readonly #options: FakeIrcOptions;
  readonly #server: Server;
  readonly #clients = new Set<IrcClient>();
  readonly #watchers = new Set<() => void>();
  readonly #pongs = new Set<string>();
  #fault: IrcFault | undefined;
  #counter = 0;

  private constructor(options: FakeIrcOptions) {
    this.#options = options;
    this.caps = options.caps ?? KNOWN_CAPS;
    this.accounts = options.accounts ?? {};
    const onSocket = (socket: Socket): void => this.#connect(socket);
    this.#server = options.tls === undefined ? createServer(onSocket) : createTlsServer(options.tls, onSocket);
  }

  static async start(options: FakeIrcOptions = {}): Promise<FakeIrc> {
    const fake = new FakeIrc(options);
    await fake.listen(0);
    return fake;
  }

  /** Listens at a port, such as the earlier one after `shutDown`. */
  async listen(port: number): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(port, this.#options.address ?? "127.0.0.1", resolve));
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get clients(): readonly IrcClient[] {
    return [...this.#clients];
  }

  // People, played by the test

  addUser(nick: string, options: { readonly account?: string; readonly isBot?: boolean; readonly host?: string } = {}): IrcUser {
    const user: IrcUser = {
      nick,
      account: options.account,
      isBot: options.isBot ?? false,
      get mask() {
        return `${this.nick}!~${foldName(nick)}@${options.host ?? "people.example"}`;
      },
    };
    this.users.set(foldName(nick), user);
    return user;
  }

  /** A person's message. Resolves with the id that clients with `message-tags` see. */
  say(
    from: Pick<IrcUser, "mask" | "account" | "isBot">,
    target: string,
    text: string,
    options: { readonly command?: string; readonly id?: string; readonly atMs?: number } = {},
  ): string {
    this.#counter += 1;
    const id = options.id ?? `msg-${this.#counter}`;
    const time = new Date(options.atMs ?? Date.now()).toISOString();
    const tags = { time, msgid: id, account: from.account, ...(from.isBot && { bot: "" }) };
    for (const client of this.#recipients(target)) client.send(`:${from.mask} ${options.command ?? "PRIVMSG"} ${target} :${text}`, tags);
    return id;
  }

  joinUser(user: IrcUser, name: string): void {
    const channel = this.channel(name);
    channel.users.add(user);
    for (const client of channel.clients) {
      const more = client.has("extended-join") ? ` ${user.account ?? "*"} :${user.nick}` : "";
      client.send(`:${user.mask} JOIN ${channel.name}${more}`);
    }
  }

  renameUser(user: IrcUser, nick: string): void {
    const before = user.mask;
    this.users.delete(foldName(user.nick));
    user.nick = nick;
    this.users.set(foldName(nick), user);
    for (const client of this.#clients) if (this.#isWith(client, user)) client.send(`:${before} NICK :${nick}`);
  }

  quitUser(user: IrcUser, reason = "Quit"): void {
    this.users.delete(foldName(user.nick));
    for (const client of this.#clients) if (this.#isWith(client, user)) client.send(`:${user.mask} QUIT :${reason}`);
    for (const { users } of this.channels.values()) users.delete(user);
  }

  setAccount(user: IrcUser, account: string | undefined): void {
    user.account = account;
    for (const client of this.#clients)
      if (client.has("account-notify") && this.#isWith(client, user)) client.send(`:${user.mask} ACCOUNT ${account ?? "*"}`);
  }

  // Controls of the test

  channel(name: string): IrcChannel {
    const key = foldName(name);
    const channel = this.channels.get(key) ?? { name, clients: new Set(), users: new Set(), key: "", refusal: undefined };
    this.channels.set(key, channel);
    return channel;
  }

  kick(name: string, nick: string): void {
    const client = this.clients.find((one) => foldName(one.nick) === foldName(nick));
    if (client !== undefined) this.leave(client, name, `:op!op@ops.example KICK ${name} ${client.nick} :out`);
  }

  kill(reason: string): void {
    for (const client of this.#clients) this.end(client, reason);
  }

  /** Breaks all connections without a word. */
  disconnect(): void {
    for (const client of this.#clients) client.socket.destroy();
  }

  failNext(fault: IrcFault): void {
    this.#fault = fault;
  }

  release(): void {
    for (const client of this.#clients) client.release();
  }

  /** Sends a line to every client, as it is. */
  send(line: string): void {
    for (const client of this.#clients) client.send(line);
  }

  sendBytes(bytes: Uint8Array): void {
    for (const client of this.#clients) client.socket.write(bytes);
  }

  /** Resolves once every client has answered what the server sent before. */
  async answered(): Promise<void> {
    this.#counter += 1;
    const token = `fake-${this.#counter}`;
    for (const client of this.#clients) client.send(`PING :${token}`);
    await this.until(() => this.#pongs.has(token) || this.#clients.size === 0);
  }

  /** Resolves once the condition holds; it is checked after everything that happens here. */
  async until(condition: () => boolean): Promise<void> {
    if (condition()) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const check = (): void => {
      if (condition()) resolve();
    };
    this.#watchers.add(check);
    await promise;
    this.#watchers.delete(check);
  }

  /** Calls `listener` after everything that happens here. */
  watch(listener: () => void): void {
    this.#watchers.add(listener);
  }

  /** Stops listening and breaks all connections. */
  async shutDown(): Promise<void> {
    if (!this.#server.listening) return;
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.disconnect();
    await closed;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.release();
    await this.shutDown();
  }

  // What the handlers of commands use

  numeric(client: IrcClient, code: string, params: readonly string[], text?: string): void {
    client.send([`:${this.name}`, code, client.nick, ...params, ...(text === undefined ? [] : [`:${text}`])].join(" "));
  }

  nickOwner(nick: string): IrcClient | IrcUser | undefined {
    const key = foldName(nick);
    return this.users.get(key) ?? this.clients.find((client) => foldName(client.nick) === key);
  }

  membersOf(name: string): readonly { readonly nick: string; readonly account: string | undefined; readonly mask: string }[] {
    const channel = this.channels.get(foldName(name));
    return channel === undefined ? [] : [...channel.users, ...channel.clients];
  }

  changeNick(client: IrcClient, wanted: string): void {
    const nick = wanted.slice(0, this.#options.nickLength ?? 30);
    const refusal = nickRefusal(this, client, nick);
    if (refusal !== undefined) return this.numeric(client, refusal, [wanted], "Nickname cannot be used");
    const before = client.mask;
    client.nick = nick;
    if (client.registered) client.send(`:${before} NICK :${nick}`);
    else this.register(client);
  }

  register(client: IrcClient): void {
    if (client.registered || client.negotiating || client.nick === "*" || client.user === "") return;
    if (this.#options.password !== undefined && client.password !== this.#options.password) {
      this.numeric(client, "464", [], "Password incorrect");
      return this.end(client, "Bad Password");
    }
    client.registered = true;
    this.registrations += 1;
    this.numeric(client, "001", [], `Welcome to the network, ${client.mask}`);
    const tokens = [`CASEMAPPING=rfc1459`, "CHANTYPES=#", "PREFIX=(ov)@+", "STATUSMSG=@+", "WHOX", ...(this.#options.isupport ?? [])];
    this.numeric(client, "005", [`NICKLEN=${this.#options.nickLength ?? 30}`, ...tokens], "are supported by this server");
    this.numeric(client, "422", [], "MOTD File is missing");
  }

  join(client: IrcClient, name: string, key: string): void {
    const channel = this.channel(name);
    if (channel.refusal !== undefined) return this.numeric(client, channel.refusal, [name], "Cannot join channel");
    if (channel.key !== key) return this.numeric(client, "475", [name], "Cannot join channel (+k)");
    channel.clients.add(client);
    const more = client.has("extended-join") ? ` ${client.account ?? "*"} :${client.user}` : "";
    client.send(`:${client.mask} JOIN ${channel.name}${more}`);
    const names = this.membersOf(name).map(({ nick, mask }) => (client.has("userhost-in-names") ? mask : nick));
    this.numeric(client, "353", ["=", channel.name], names.join(" "));
    this.numeric(client, "366", [channel.name], "End of /NAMES list");
  }

  leave(client: IrcClient, name: string, line: string): void {
    client.send(line);
    this.channels.get(foldName(name))?.clients.delete(client);
  }

  ponged(client: IrcClient, token: string): void {
    if (!client.silent) this.#pongs.add(token);
  }

  answerPing(client: IrcClient, token: string): void {
    client.send(`:${this.name} PONG ${this.name} :${token}`);
  }

  end(client: IrcClient, reason: string): void {
    client.send(`ERROR :Closing Link: ${client.host} (${reason})`);
    client.socket.end();
  }

  relay(client: IrcClient, line: IrcLine): void {
    const [target = "", text = ""] = line.params;
    const command = line.command as IrcMessage["command"];
    this.sendRequests += 1;
    const label = line.tags["label"];
    const fault = this.#fault;
    this.#fault = undefined;
    const refusal = fault?.type === "numeric" ? ([fault.code, fault.text] as const) : refusalOf(this, client, target);
    if (refusal !== undefined) return client.send(`:${this.name} ${refusal[0]} ${client.nick} ${target} :${refusal[1]}`, { label });
    if (fault?.type === "dropped") return void client.socket.destroy();
    const whole = `:${client.mask} ${command} ${target} :${text}`;
    if (Buffer.byteLength(whole) > MAX_LINE_BYTES - 2) this.violations.push(`cut for its recipients: ${Buffer.byteLength(whole)} bytes`);
    this.#counter += 1;
    const id = `msg-${this.#counter}`;
    const seen = Buffer.from(whole)
      .subarray(0, MAX_LINE_BYTES - 2)
      .toString("utf8");
    this.messages.push({ id, from: client.nick, target, text: seen.slice(seen.indexOf(" :", 1) + 2), command, atMs: performance.now() });
    if (fault?.type === "answer-lost") return void client.socket.destroy();
    if (fault?.type === "answer-unreadable") return void client.socket.end("\u0000 <html></html>\r\n");
    if (fault?.type === "held") client.held = [];
    const tags = { time: new Date().toISOString(), msgid: id, account: client.account };
    if (client.has("echo-message")) client.send(whole, { ...tags, label });
    for (const other of this.#recipients(target)) if (other !== client) other.send(whole, tags);
  }

  #recipients(target: string): readonly IrcClient[] {
    const name = target.replace(/^[@+]+/, "");
    if (name.startsWith("#")) return [...(this.channels.get(foldName(name))?.clients ?? [])];
    return this.clients.filter((client) => foldName(client.nick) === foldName(target));
  }

  #isWith(client: IrcClient, user: IrcUser): boolean {
    return [...this.channels.values()].some(({ clients, users }) => clients.has(client) && users.has(user));
  }

  #connect(socket: Socket): void {
    socket.setNoDelay(true);
    const client = new IrcClient(socket);
    this.#clients.add(client);
    socket.on("data", (chunk: Buffer) => {
      for (const raw of client.linesOf(chunk)) this.#read(client, raw);
      this.#happened();
    });
    socket.on("error", () => socket.destroy());
    socket.on("close", () => {
      this.#clients.delete(client);
      for (const { clients } of this.channels.values()) clients.delete(client);
      this.#happened();
    });
    const { refusal } = this;
    if (refusal !== undefined) {
      if (refusal.numeric !== undefined) this.numeric(client, refusal.numeric, [], refusal.text);
      this.end(client, refusal.text);
    }
    this.#happened();
  }

  /** Bytes of one line, as latin1. */
  #read(client: IrcClient, raw: string): void {
    if (client.silent || raw === "" || client.socket.writableEnded) return;
    const bytes = Buffer.from(raw, "latin1");
    const text = bytes.toString("utf8");
    this.lines.push(text);
    const tagged = raw.startsWith("@") ? raw.indexOf(" ") + 1 : 0;
    if (bytes.length - tagged > MAX_LINE_BYTES - 2) this.violations.push(`too long: ${bytes.length} bytes`);
    if (/[\0\r]/.test(raw)) this.violations.push("a byte that no line may have");
    if (!Buffer.from(text, "utf8").equals(bytes)) this.violations.push("not UTF-8");
    if (this.#isFlood(client)) return this.end(client, "Excess Flood");
    const line = parseLine(text);
    const handler = REGISTRATION_COMMANDS[line.command];
    if (handler !== undefined) return handler(this, client, line);
    if (!client.registered) return this.numeric(client, "451", [], "You have not registered");
    const command = COMMANDS[line.command];
    if (command === undefined) this.numeric(client, "421", [line.command], "Unknown command");
    else command(this, client, line);
  }

  #isFlood(client: IrcClient): boolean {
    if (!client.registered) return false;
    const { penaltyMs, maxMs } = this.#options.flood ?? { penaltyMs: 2_000, maxMs: 10_000 };
    const nowMs = performance.now();
    client.paidUntilMs = Math.max(client.paidUntilMs, nowMs) + penaltyMs;
    return client.paidUntilMs - nowMs > maxMs;
  }

  #happened(): void {
    for (const check of this.#watchers) check();
  }
}
