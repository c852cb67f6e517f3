import { FakeMatrix, matrixRelationIn } from "@factotum/testing-channels";
import type { MatrixContent, MatrixStoredEvent } from "@factotum/testing-channels";
import type { Product } from "@factotum/testing-product";
import type { MixedEvent, MixedKind, MixedPlatform, ShownReply } from "./mixed-platform.ts";

const PEOPLE = ["@ann:fake.example", "@ben:fake.example", "@cat:fake.example"];
const DIRECTS = ["!direct-0:fake.example", "!direct-1:fake.example", "!direct-2:fake.example"];
const ROOMS = ["!room-0:fake.example", "!room-1:fake.example"];

interface Account {
  readonly name: string;
  readonly matrix: FakeMatrix;
  /** The message with which the thread of the first room began. */
  readonly root: string;
}

interface Place {
  readonly account: Account;
  readonly roomId: string;
  readonly threadId: string | undefined;
}

/** Two bots, each on a homeserver of its own. */
export async function startMatrixMixedPlatform(): Promise<MixedPlatform> {
  return new MatrixMixedPlatform(await Promise.all(["one", "two"].map(async (name) => startAccount(name))));
}

class MatrixMixedPlatform implements MixedPlatform {
  readonly name = "matrix";
  readonly extension = "matrix";
  /** The homeserver keeps what happens while no client syncs, and sends a transaction once. */
  readonly guarantee = { inbound: "redelivers", outbound: "once" } as const;
  readonly conversations: readonly string[];
  readonly kinds = ["message", "message", "message", "command", "edit", "delete", "reaction"] as const;
  readonly config: MixedPlatform["config"];
  readonly #accounts: readonly Account[];
  readonly #events = new Map<string, MatrixStoredEvent>();
  /** Messages of people by conversation, newest last. */
  readonly #messages = new Map<string, MatrixStoredEvent[]>();

  constructor(accounts: readonly Account[]) {
    this.#accounts = accounts;
    this.conversations = accounts.flatMap(({ name, root }) => [
      ...[...DIRECTS, ...ROOMS].map((roomId) => `${name}/${roomId}`),
      `${name}/${ROOMS[0] ?? ""}/${root}`,
    ]);
    this.config = {
      owners: accounts.flatMap(({ name }) => PEOPLE.map((id) => `matrix/${name}:${id}`)),
      channels: { matrix: { accounts: Object.fromEntries(accounts.map((account) => [account.name, accountConfig(account)])) } },
    };
  }

  allows(): boolean {
    return true;
  }

  async connected(): Promise<void> {
    for (const { matrix } of this.#accounts) await matrix.syncs.syncing();
  }

  create(event: MixedEvent): void {
    const place = this.#placeOf(event.conversation);
    const earlier = this.#messages.get(event.conversation) ?? [];
    // It is in its room, and reaches no client until it is delivered.
    const created = place.account.matrix.store.hide(() => createEvent(event, place, earlier.at(-1)));
    this.#events.set(event.id, created);
    const isInput = !["edit", "delete", "reaction"].includes(event.kind);
    if (isInput) this.#messages.set(event.conversation, [...earlier, created]);
  }

  /** What is not confirmed stays on the homeserver, and is given to the next process. */
  async deliver(event: MixedEvent, product: Product): Promise<boolean> {
    const created = this.#events.get(event.id);
    if (created === undefined) throw new Error(`${event.id} was not created`);
    const { account, roomId } = this.#placeOf(event.conversation);
    return Promise.race([
      account.matrix.deliver(roomId, created).then((delivery) => delivery === "acknowledged"),
      product.ended.then(() => false),
    ]);
  }

  redelivers(_kind: MixedKind): boolean {
    return true;
  }

  disconnect(): void {
    for (const { matrix } of this.#accounts) matrix.syncs.drop();
  }

  get shown(): readonly ShownReply[] {
    return this.#accounts.flatMap(({ name, matrix }) =>
      matrix.sent.map((event) => {
        const { type, eventId } = matrixRelationIn(event.content);
        const thread = type === "m.thread" && eventId !== undefined ? `/${eventId}` : "";
        const { body } = matrix.contentOf(event) as { readonly body?: string };
        return { id: `${name}/${event.event_id}`, conversation: `${name}/${event.room_id}${thread}`, text: body ?? "" };
      }),
    );
  }

  watch(listener: () => void): void {
    for (const { matrix } of this.#accounts) matrix.watch(listener);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { matrix } of this.#accounts) await matrix[Symbol.asyncDispose]();
  }

  #placeOf(conversation: string): Place {
    const [name = "", roomId = "", threadId] = conversation.split("/");
    const account = this.#accounts.find((one) => one.name === name);
    if (account === undefined) throw new Error(`There is no account ${name}.`);
    return { account, roomId, threadId };
  }
}

async function startAccount(name: string): Promise<Account> {
  const matrix = await FakeMatrix.start({ users: PEOPLE.map((id) => ({ id, displayName: id.slice(1, 4) })) });
  const { store, app } = matrix;
  const [first = ""] = PEOPLE;
  for (const [index, id] of DIRECTS.entries())
    store.createRoom({ creator: PEOPLE[index] ?? "", members: [app.bot.id], isDirect: true }, id);
  for (const id of ROOMS) store.createRoom({ creator: first, members: [app.bot.id, ...PEOPLE.slice(1)], name: id }, id);
  matrix.setDirect(app.bot.id, Object.fromEntries(PEOPLE.map((id, index) => [id, [DIRECTS[index] ?? ""]])));
  const root = store.append({
    roomId: ROOMS[0] ?? "",
    type: "m.room.message",
    sender: first,
    content: { msgtype: "m.text", body: "Plans" },
  });
  return { name, matrix, root: root.event_id };
}

function accountConfig({ matrix: { app, baseUrl } }: Account): object {
  return { homeserver: baseUrl, userId: app.bot.id, accessToken: app.bot.token, allowFrom: PEOPLE, groupPolicy: "open" };
}

function createEvent(
  event: MixedEvent,
  { account: { matrix }, roomId, threadId }: Place,
  earlier: MatrixStoredEvent | undefined,
): MatrixStoredEvent {
  const { store, app } = matrix;
  const direct = DIRECTS.indexOf(roomId);
  const isDirect = direct !== -1;
  const sender = PEOPLE[isDirect ? direct : event.person] ?? "";
  const append = (content: MatrixContent, by = sender, type = "m.room.message"): MatrixStoredEvent =>
    store.append({ roomId, type, sender: by, content });
  const relation = threadId === undefined ? {} : { "m.relates_to": { rel_type: "m.thread", event_id: threadId } };
  const old = (): MatrixStoredEvent => earlier ?? append({ msgtype: "m.text", body: "An old message", ...relation });
  switch (event.kind) {
    case "edit": {
      const target = old();
      const replaced = { msgtype: "m.text", body: event.text };
      const content = { ...replaced, body: `* ${event.text}`, "m.new_content": replaced };
      return append({ ...content, "m.relates_to": { rel_type: "m.replace", event_id: target.event_id } }, target.sender);
    }
    case "delete": {
      // Something of its own: the text of an input must stay until the model is asked.
      const target = append({ msgtype: "m.text", body: "A message that is removed", ...relation });
      return store.redact({ roomId, eventId: target.event_id, sender });
    }
    case "reaction":
      return append({ "m.relates_to": { rel_type: "m.annotation", event_id: old().event_id, key: "🎉" } }, sender, "m.reaction");
    default: {
      const mentions = isDirect ? {} : { user_ids: [app.bot.id] };
      const name = isDirect ? "" : `${app.bot.displayName ?? ""}: `;
      return append({ msgtype: "m.text", body: `${name}${event.text}`, "m.mentions": mentions, ...relation });
    }
  }
}
