import { ClientEvent, createClient, MatrixEventEvent, RoomEvent, RoomMemberEvent } from "matrix-js-sdk";
import type { MatrixClient, MatrixEvent } from "matrix-js-sdk";
import type { Homeserver, HomeserverUser } from "./homeservers.ts";

/** A person with the client that others wrote. */
export interface Person extends Disposable {
  readonly id: string;
  readonly client: MatrixClient;
  /** Resolves with what `find` returns as soon as that is not `undefined`; asked again after everything that the client learns. */
  until<T>(find: () => T | undefined): Promise<T>;
  /** The newest event of a room with this text, as the client shows it. */
  shown(roomId: string, text: string): Promise<MatrixEvent>;
}

/** Logs a person in and syncs. */
export async function startPerson({ baseUrl }: Homeserver, { id, token }: HomeserverUser): Promise<Person> {
  const silent = { trace() {}, debug() {}, info() {}, warn() {}, error() {}, getChild: () => silent };
  const client = createClient({ baseUrl, userId: id, accessToken: token, logger: silent as never });
  const listeners = new Set<() => void>();
  const notify = (): void => {
    for (const listener of listeners) listener();
  };
  client.on(ClientEvent.Sync, notify);
  client.on(ClientEvent.Room, notify);
  client.on(RoomEvent.Timeline, notify);
  client.on(RoomEvent.Receipt, notify);
  client.on(RoomEvent.Redaction, notify);
  client.on(RoomMemberEvent.Typing, notify);
  client.on(RoomMemberEvent.Membership, notify);
  client.on(MatrixEventEvent.Replaced, notify);
  await client.startClient({ initialSyncLimit: 20, threadSupport: true, pollTimeout: 2_000 });
  const until: Person["until"] = async <T>(find: () => T | undefined): Promise<T> => {
    const { promise, resolve } = Promise.withResolvers<T>();
    const check = (): void => {
      const found = find();
      if (found !== undefined) resolve(found);
    };
    listeners.add(check);
    check();
    try {
      return await promise;
    } finally {
      listeners.delete(check);
    }
  };
  return {
    id,
    client,
    until,
    shown: (roomId, text) =>
      until(() => {
        const room = client.getRoom(roomId);
        const events = [...(room?.getLiveTimeline().getEvents() ?? []), ...(room?.getThreads() ?? []).flatMap((thread) => thread.events)];
        return events.findLast((event) => event.getContent()["body"] === text);
      }),
    [Symbol.dispose]() {
      client.stopClient();
    },
  };
}
