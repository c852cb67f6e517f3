import { mkdir } from "node:fs/promises";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";

/** Stores a snapshot of a product's database where the product looks for them. The product may be running: this is an ordinary reader. */
export async function takeSnapshot(home: string): Promise<void> {
  const folder = path.join(home, "state", "snapshots");
  await mkdir(folder, { recursive: true, mode: 0o700 });
  withDatabase(home, (database) => {
    const id = String(database.prepare("SELECT database_id FROM ownership").get()?.["database_id"]);
    database.prepare("VACUUM INTO ?").run(path.join(folder, `factotum-${Date.now()}-${id}.sqlite`));
  });
}

/** Opens a product's database in parallel, like another program. */
export function withDatabase(home: string, work: (database: DatabaseSync) => void): void {
  const database = new DatabaseSync(path.join(home, "state", "factotum.sqlite"), { timeout: 5000 });
  try {
    work(database);
  } finally {
    database.close();
  }
}
