/** Unread bytes of all clients together. */
const MAX_TOTAL_BYTES: number = 64 * 1024 * 1024;

/** The unread data of one client. */
interface ClientBacklog {
  readonly bytes: number;
  /** Frees most of it; the client has to connect again. */
  readonly shed: () => void;
}

/** The unread data of the clients of one server, bounded in total: over the limit, the client with the largest backlog is closed. */
export class ClientBacklogs {
  readonly #clients = new Set<ClientBacklog>();

  add(client: ClientBacklog): void {
    this.#clients.add(client);
  }

  delete(client: ClientBacklog): void {
    this.#clients.delete(client);
  }

  /** Closes clients, largest backlog first, until the rest fits. */
  enforce(): void {
    for (;;) {
      let total = 0;
      let largest: ClientBacklog | undefined;
      let most = 0;
      for (const client of this.#clients) {
        const { bytes } = client;
        total += bytes;
        if (bytes <= most) continue;
        most = bytes;
        largest = client;
      }
      if (total <= MAX_TOTAL_BYTES || largest === undefined) return;
      largest.shed();
    }
  }
}
