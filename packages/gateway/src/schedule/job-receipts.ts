import type { JobOccurrence, JobReceipt, Logger } from "@factotum/agent-contract";
import type { InboxStore, JobStore, OutboxRecord, OutboxStore, TurnStore } from "@factotum/store";
import type { JobBook } from "./job-book.ts";
import { slotOfEvent, slotOfSession } from "./run-names.ts";

type Slot = Pick<JobOccurrence, "jobId" | "slotMs">;

/** Rows that are read at once. */
const PAGE = 500;

/** Dependencies of the receipts. */
export interface JobReceiptsOptions {
  readonly store: Pick<JobStore, "addReceipt"> &
    Pick<TurnStore, "readTurn"> &
    Pick<InboxStore, "readInput"> &
    Pick<OutboxStore, "listPendingOutbound">;
  readonly book: Pick<JobBook, "get" | "list" | "remove">;
  readonly logger: Logger;
}

/**
 * Records with a slot what became of what its run has sent. `delivered` means that there is a receipt of the platform. A job that is over is removed once all of
 * it is known.
 */
export class JobReceipts {
  readonly #options: JobReceiptsOptions;

  constructor(options: JobReceiptsOptions) {
    this.#options = options;
  }

  /** A row of the outbox is settled. Never rejects. */
  async settled(row: OutboxRecord): Promise<void> {
    const receipt = receiptOf(row.state);
    try {
      const slot = isOfRun(row) ? await this.#slotOf(row) : undefined;
      if (slot === undefined) return;
      if (receipt !== undefined) await this.#options.store.addReceipt(slot, receipt);
      await this.removeIfOver(slot.jobId);
    } catch (error) {
      this.#options.logger.error("The receipt of a job could not be stored", { outboxId: row.id, error });
    }
  }

  /** Removes a job that is over, unless something that it has sent waits for its receipt. */
  async removeIfOver(jobId: string): Promise<void> {
    const { book } = this.#options;
    const slotMs = book.get(jobId)?.overSlotMs;
    if (slotMs !== undefined && !(await this.#isWaiting({ jobId, slotMs }))) await book.remove(jobId);
  }

  /** Removes the jobs whose last receipt came while their end was stored. */
  async recover(): Promise<void> {
    for (const { id } of this.#options.book.list()) await this.removeIfOver(id);
  }

  async #isWaiting({ jobId, slotMs }: Slot): Promise<boolean> {
    for (let afterId: string | undefined, isMore = true; isMore;) {
      const rows = await this.#options.store.listPendingOutbound({ limit: PAGE, ...(afterId === undefined ? {} : { afterId }) });
      for (const row of rows.filter(isOfRun)) {
        const slot = await this.#slotOf(row);
        if (slot?.jobId === jobId && slot.slotMs === slotMs) return true;
      }
      isMore = rows.length === PAGE;
      afterId = rows.at(-1)?.id;
    }
    return false;
  }

  /** A run in a session that others use, too, is known by the event of its input. */
  async #slotOf({ slot, sessionKey, turnId }: OutboxRecord): Promise<Slot | undefined> {
    return slot ?? slotOfSession(sessionKey) ?? (turnId === undefined ? undefined : this.#slotOfTurn(turnId));
  }

  async #slotOfTurn(turnId: string): Promise<Slot | undefined> {
    const { store } = this.#options;
    const turn = await store.readTurn(turnId);
    if (turn?.kind !== "cron" && turn?.kind !== "heartbeat") return undefined;
    const input = turn.inputIds[0] === undefined ? undefined : await store.readInput(turn.inputIds[0]);
    return input === undefined ? undefined : slotOfEvent(input.message.eventId);
  }
}

function isOfRun({ purpose }: OutboxRecord): boolean {
  return purpose !== "notice" && purpose !== "preview";
}

function receiptOf(state: OutboxRecord["state"]): JobReceipt | undefined {
  switch (state.type) {
    case "accepted":
      return "delivered";
    case "ambiguous":
      return "ambiguous";
    case "dead":
      return "undelivered";
    case "waiting":
    case "sending":
    case "suppressed":
    case "replaced":
      return undefined;
  }
}
