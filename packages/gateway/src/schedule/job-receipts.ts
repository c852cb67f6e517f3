import type { JobReceipt, Logger } from "@factotum/agent-contract";
import type { InboxStore, JobStore, OccurrenceRecord, OutboxRecord, TurnStore } from "@factotum/store";
import { slotOfEvent, slotOfSession } from "./run-names.ts";

/** Dependencies of the receipts. */
export interface JobReceiptsOptions {
  readonly store: Pick<JobStore, "addReceipt"> & Pick<TurnStore, "readTurn"> & Pick<InboxStore, "readInput">;
  readonly logger: Logger;
}

/** Records with a slot what became of what its run has sent. `delivered` means that there is a receipt of the platform. */
export class JobReceipts {
  readonly #options: JobReceiptsOptions;

  constructor(options: JobReceiptsOptions) {
    this.#options = options;
  }

  /** A row of the outbox is settled. Never rejects. */
  async settled(row: OutboxRecord): Promise<void> {
    const receipt = receiptOf(row.state);
    if (receipt === undefined || row.purpose === "notice" || row.purpose === "preview") return;
    try {
      const slot = slotOfSession(row.sessionKey) ?? (await this.#slotOfTurn(row.turnId));
      if (slot !== undefined) await this.#options.store.addReceipt(slot, receipt);
    } catch (error) {
      this.#options.logger.error("The receipt of a job could not be stored", { outboxId: row.id, error });
    }
  }

  /** A run in a session that others use, too, is known by the event of its input. */
  async #slotOfTurn(turnId: string | undefined): Promise<Pick<OccurrenceRecord, "jobId" | "slotMs"> | undefined> {
    const { store } = this.#options;
    const turn = turnId === undefined ? undefined : await store.readTurn(turnId);
    if (turn?.kind !== "cron" && turn?.kind !== "heartbeat") return undefined;
    const input = turn.inputIds[0] === undefined ? undefined : await store.readInput(turn.inputIds[0]);
    return input === undefined ? undefined : slotOfEvent(input.message.eventId);
  }
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
