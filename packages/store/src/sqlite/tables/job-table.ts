import type { JobReceipt } from "@factotum/agent-contract";
import { withoutUndefined } from "@factotum/agent-contract";
import type { JobRecord, OccurrenceRecord } from "../../port/job-store.ts";
import { StoreError } from "../../port/store-error.ts";
import { checkKey } from "../values/check-key.ts";
import { checksum, parseChecked } from "../values/checksum.ts";
import { numberOf, optionalNumber, textOf } from "../values/row.ts";
import type { Row } from "../values/row.ts";
import type { TableContext } from "./table-context.ts";

/** Settled occurrences that are kept of each job. */
const KEPT_OCCURRENCES = 200;
/** Those that are this much older than the newest claim are kept, too: a clock that is set back comes to their slots a second time. */
const KEPT_MS = 60 * 60_000;

/** From good to bad. */
const RECEIPTS: readonly (JobReceipt | undefined)[] = [undefined, "delivered", "undelivered", "ambiguous"];

/** The worse of two receipts. */
function worst(one: JobReceipt | undefined, other: JobReceipt | undefined): JobReceipt | undefined {
  return RECEIPTS.indexOf(one) > RECEIPTS.indexOf(other) ? one : other;
}

/** Scheduled jobs with their occurrences. */
export class JobTable {
  readonly #context: TableContext;

  constructor(context: TableContext) {
    this.#context = context;
  }

  put({ id, ignoredBeforeMs: _copied, ...rest }: JobRecord): void {
    checkKey("The id of a job", id);
    const payload = JSON.stringify(rest);
    this.#context.database.run(
      "INSERT INTO jobs (id, payload, sum) VALUES (?, ?, ?) ON CONFLICT (id) DO UPDATE SET payload = excluded.payload, sum = excluded.sum",
      id,
      payload,
      checksum(payload, [id]),
    );
  }

  read(id: string): JobRecord | undefined {
    const row = this.#context.database.get("SELECT id, ignored_before, payload, sum FROM jobs WHERE id = ?", id);
    return row === undefined ? undefined : this.#decode(row);
  }

  list(): readonly JobRecord[] {
    return this.#context.database
      .all("SELECT id, ignored_before, payload, sum FROM jobs ORDER BY n")
      .flatMap((row) => this.#decode(row) ?? []);
  }

  remove(id: string): boolean {
    this.#context.database.run("DELETE FROM occurrences WHERE job_id = ?", id);
    return this.#context.database.run("DELETE FROM jobs WHERE id = ?", id) > 0;
  }

  claim(job: JobRecord, occurrences: readonly OccurrenceRecord[]): readonly OccurrenceRecord[] {
    if (this.read(job.id) === undefined) return [];
    this.put(job);
    const added = occurrences.filter((occurrence) => this.#insert(occurrence));
    if (added.length > 0) this.#prune(job.id, Math.max(...added.map(({ slotMs }) => slotMs)));
    return added;
  }

  /** Rows later than `newestMs` are of a clock that was ahead: they do not count. */
  #prune(jobId: string, newestMs: number): void {
    this.#context.database.run(
      `DELETE FROM occurrences WHERE job_id = ? AND state NOT IN ('claimed', 'running') AND slot < ? AND slot < (
        SELECT min(slot) FROM (SELECT slot FROM occurrences WHERE job_id = ? AND slot <= ? ORDER BY slot DESC LIMIT ?))`,
      jobId,
      newestMs - KEPT_MS,
      jobId,
      newestMs,
      KEPT_OCCURRENCES,
    );
  }

  putOccurrence(occurrence: OccurrenceRecord, job: JobRecord | undefined): void {
    const { jobId, slotMs } = occurrence;
    const receipt = worst(this.#readOccurrence(jobId, slotMs)?.receipt, occurrence.receipt);
    this.#replace({ ...occurrence, ...withoutUndefined({ receipt }) });
    if (job !== undefined && this.read(job.id) !== undefined) this.put(job);
  }

  addReceipt(jobId: string, slotMs: number, receipt: JobReceipt): void {
    const occurrence = this.#readOccurrence(jobId, slotMs);
    if (occurrence !== undefined) this.#replace({ ...occurrence, ...withoutUndefined({ receipt: worst(occurrence.receipt, receipt) }) });
  }

  #readOccurrence(jobId: string, slotMs: number): OccurrenceRecord | undefined {
    const row = this.#context.database.get(
      "SELECT job_id, slot, state, payload, sum FROM occurrences WHERE job_id = ? AND slot = ?",
      jobId,
      slotMs,
    );
    return row === undefined ? undefined : this.#decodeOccurrence(row);
  }

  #replace({ jobId, slotMs, state, ...rest }: OccurrenceRecord): void {
    const payload = JSON.stringify(rest);
    this.#context.database.run(
      "UPDATE occurrences SET state = ?, payload = ?, sum = ? WHERE job_id = ? AND slot = ?",
      state,
      payload,
      checksum(payload, [jobId, slotMs]),
      jobId,
      slotMs,
    );
  }

  listOccurrences(jobId: string, limit: number): readonly OccurrenceRecord[] {
    const rows = this.#context.database.all(
      "SELECT job_id, slot, state, payload, sum FROM occurrences WHERE job_id = ? ORDER BY slot DESC LIMIT ?",
      jobId,
      limit,
    );
    return rows.map((row) => this.#decodeOccurrence(row));
  }

  listOpen(): readonly OccurrenceRecord[] {
    const rows = this.#context.database.all(
      "SELECT job_id, slot, state, payload, sum FROM occurrences WHERE state IN ('claimed', 'running') ORDER BY slot",
    );
    return rows.map((row) => this.#decodeOccurrence(row));
  }

  #insert({ jobId, slotMs, state, ...rest }: OccurrenceRecord): boolean {
    const payload = JSON.stringify(rest);
    const added = this.#context.database.run(
      "INSERT INTO occurrences (job_id, slot, state, payload, sum) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
      jobId,
      slotMs,
      state,
      payload,
      checksum(payload, [jobId, slotMs]),
    );
    return added > 0;
  }

  #decode(row: Row): JobRecord | undefined {
    const id = textOf(row, "id");
    try {
      const ignoredBeforeMs = optionalNumber(row, "ignored_before");
      return { id, ...parseChecked<Omit<JobRecord, "id">>(row["payload"], row["sum"], [id]), ...withoutUndefined({ ignoredBeforeMs }) };
    } catch (error) {
      if (!StoreError.isInstance(error)) throw error;
      this.#context.quarantine({ type: "job", id }, () => void this.remove(id));
      return undefined;
    }
  }

  /** The key of a slot is what counts: a damaged row stays one that has failed, so that its slot does not run twice. */
  #decodeOccurrence(row: Row): OccurrenceRecord {
    const [jobId, slotMs, state] = [textOf(row, "job_id"), numberOf(row, "slot"), textOf(row, "state") as OccurrenceRecord["state"]];
    try {
      const rest = parseChecked<Omit<OccurrenceRecord, "jobId" | "slotMs" | "state">>(row["payload"], row["sum"], [jobId, slotMs]);
      return { jobId, slotMs, state, ...rest };
    } catch (error) {
      if (!StoreError.isInstance(error)) throw error;
      return { jobId, slotMs, state: "failed", attempt: 1, reason: "its stored row was damaged" };
    }
  }
}
