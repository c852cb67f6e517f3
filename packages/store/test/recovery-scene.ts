import { readFile, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { OWNER, sampleEnd, sampleMessage, sampleSession, sampleTurn, userEntry } from "../contract/samples.ts";
import { openSqliteStore } from "../src/index.ts";
import type { SqliteStore, StoreRecovery } from "../src/index.ts";
import { createSqliteFixture } from "./open-test-store.ts";
import type { SqliteFixture } from "./open-test-store.ts";

const PAGE_BYTES = 4096;

/** A state folder whose database is lost and restored, and what is reported about it. */
export class RecoveryScene {
  readonly fixture: SqliteFixture;
  readonly recoveries: StoreRecovery[] = [];
  readonly #stores: SqliteStore[] = [];

  private constructor(fixture: SqliteFixture) {
    this.fixture = fixture;
  }

  static async create(): Promise<RecoveryScene> {
    return new RecoveryScene(await createSqliteFixture());
  }

  /** The folder of the plain files. */
  get copies(): string {
    return dirname(this.fixture.copyPath("any"));
  }

  /** `folder`: another state folder instead of the fixture's. */
  async open(folder: string = this.fixture.folder): Promise<SqliteStore> {
    const store = await openSqliteStore({ ...this.fixture.options, folder, onRecovery: (recovery) => this.recoveries.push(recovery) });
    this.#stores.push(store);
    return store;
  }

  /** One turn of a session with this name, a second later than the previous one. */
  async talk(store: SqliteStore, session: string, text: string): Promise<void> {
    const { clock } = this.fixture;
    clock.nowMs += 1000;
    const { input } = await store.acceptInput(sampleMessage(text), { admission: OWNER, receivedAtMs: clock.nowMs });
    const named = { session: sampleSession({ key: `agent:main:${session}`, sessionId: `id-${session}` }) };
    await store.startTurn(sampleTurn(`t-${text}`, [input.id], { ...named, entries: [userEntry(text)], startedAtMs: clock.nowMs }));
    await store.endTurn(sampleEnd(`t-${text}`));
  }

  /** Removes the database with the files that SQLite keeps with it. */
  async removeFile(): Promise<void> {
    for (const end of ["", "-wal", "-shm"]) await rm(`${this.fixture.file}${end}`, { force: true });
  }

  /** Overwrites the first page of a table or an index of the closed database, as a failing disk does. */
  async wreck(name: string, file: string = this.fixture.file): Promise<void> {
    const page = this.#firstPage(name, file);
    const bytes = await readFile(file);
    await writeFile(file, bytes.fill(0x5a, (page - 1) * PAGE_BYTES, page * PAGE_BYTES));
  }

  /** Removes all entries of an index of the closed database: SQLite still reads it, but finds nothing by it. The index has one page. */
  async emptyIndex(name: string): Promise<void> {
    const page = this.#firstPage(name, this.fixture.file);
    const bytes = await readFile(this.fixture.file);
    // The number of cells of the page.
    bytes.writeUInt16BE(0, (page - 1) * PAGE_BYTES + 3);
    await writeFile(this.fixture.file, bytes);
  }

  async remove(): Promise<void> {
    for (const store of this.#stores) await store.close();
    await this.fixture.remove();
  }

  #firstPage(name: string, file: string): number {
    const connection = new DatabaseSync(file);
    const page = Number(connection.prepare("SELECT rootpage FROM sqlite_schema WHERE name = ?").get(name)?.["rootpage"]);
    connection.close();
    return page;
  }
}

/** The user messages of a conversation. */
export async function textsOf(store: SqliteStore, sessionId: string): Promise<readonly string[]> {
  const { items } = await store.readTranscript(sessionId, { limit: 100 });
  return items.flatMap((entry) =>
    entry.type === "message" && entry.message.role === "user"
      ? [entry.message.content.map((block) => (block.type === "text" ? block.text : "")).join("")]
      : [],
  );
}
