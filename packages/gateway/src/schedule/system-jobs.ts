import type { JobRecord } from "@factotum/store";
import type { PreparedJob } from "./prepared-job.ts";
import { DailyReviews, type DailyReviewsOptions } from "./daily-reviews.ts";
import { Heartbeats, type HeartbeatsOptions } from "./heartbeats.ts";

/** System jobs: those that the gateway itself makes and keeps in line with the configuration, which are heartbeats and daily reviews. */
export class SystemJobs {
  readonly #heartbeats: Heartbeats;
  readonly #reviews: DailyReviews;

  constructor(options: HeartbeatsOptions & DailyReviewsOptions) {
    this.#heartbeats = new Heartbeats(options);
    this.#reviews = new DailyReviews(options);
  }

  /** Brings the jobs in line with the configuration. */
  async sync(): Promise<void> {
    await this.#heartbeats.sync();
    await this.#reviews.sync();
  }

  /** One of them with its address, or why it is left out at no cost. */
  async prepare(job: JobRecord, sessionKey: string): Promise<PreparedJob> {
    return job.system === "review" ? this.#reviews.prepare(job) : this.#heartbeats.prepare(job, sessionKey);
  }
}
