/** A user of the homeserver. */
export interface MatrixUser {
  /** The full id. */
  readonly id: string;
  readonly displayName?: string;
  /** Of the user's session; tests may replace it. */
  token: string;
}

/** A file on the homeserver. */
export interface MatrixFile {
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly mimeType: string;
}

/** A homeserver and its users. Tests may change it. */
export interface FakeMatrixApp {
  readonly serverName: string;
  readonly bot: MatrixUser;
  /** By id, the bot among them. */
  readonly users: Map<string, MatrixUser>;
  /** By the last part of the address. */
  readonly files: Map<string, MatrixFile>;
  /** Lists of direct chats, by user: the account data `m.direct`. */
  readonly direct: Map<string, Record<string, string[]>>;
  /** Reading of rooms is refused. */
  refusesReads: boolean;
  /** Tokens that are refused are those of a session that has expired. */
  hasExpiredSessions: boolean;
  /** False for a homeserver from before authenticated media. */
  hasAuthenticatedMedia: boolean;
  maxUploadBytes: number;
  /** Positions before this one are not known any more. */
  oldestPosition: number;
  /** Rooms whose reads fail. */
  readonly brokenRooms: Set<string>;
  readonly now: () => number;
}

/** What a test may choose; the rest has defaults. */
export interface FakeMatrixOptions {
  readonly users?: readonly { readonly id: string; readonly displayName?: string }[];
  readonly token?: string;
  readonly now?: () => number;
}

const SERVER = "fake.example";

/** A homeserver with its defaults: the bot, Alice and Bob. */
export function fakeMatrixApp(options: FakeMatrixOptions): FakeMatrixApp {
  const bot: MatrixUser = { id: `@factotum:${SERVER}`, displayName: "Factotum", token: options.token ?? "syt_ZmFjdG90dW0_secretOfTheBot" };
  const people = options.users ?? [
    { id: `@alice:${SERVER}`, displayName: "Alice" },
    { id: `@bob:${SERVER}`, displayName: "Bob" },
  ];
  const users = people.map((user): MatrixUser => ({ ...user, token: `syt_of_${user.id}` }));
  return {
    serverName: SERVER,
    bot,
    users: new Map([bot, ...users].map((user) => [user.id, user])),
    files: new Map(),
    direct: new Map(),
    refusesReads: false,
    hasExpiredSessions: false,
    hasAuthenticatedMedia: true,
    maxUploadBytes: 60 * 1024 * 1024,
    oldestPosition: 0,
    brokenRooms: new Set(),
    now: options.now ?? (() => Date.now()),
  };
}
