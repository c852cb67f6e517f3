import { readdir, stat } from "node:fs/promises";
import path from "node:path";
import { isDeepStrictEqual } from "node:util";
import type { Clock } from "@factotum/agent-contract";
import type { JobRecord } from "@factotum/store";
import { NOTES_FOLDER } from "../taint/note-blocks.ts";
import type { JobBook } from "./job-book.ts";
import { ownerTarget } from "./owner-target.ts";
import type { OwnerTargetParts } from "./owner-target.ts";
import type { PreparedJob } from "./prepared-job.ts";
import { reviewId, reviewJob } from "./review-job.ts";

const DAY_MS = 24 * 60 * 60_000;

/** Dependencies of daily reviews. */
export interface DailyReviewsOptions extends OwnerTargetParts {
  readonly book: JobBook;
  readonly clock: Clock;
}

/** The daily reviews of agents (`memory.dailyReview`): each proposes additions to `MEMORY.md` to the owner, whose answer in the main session decides. */
export class DailyReviews {
  readonly #options: DailyReviewsOptions;

  constructor(options: DailyReviewsOptions) {
    this.#options = options;
  }

  /** Brings the jobs in line with the configuration. */
  async sync(): Promise<void> {
    const { book, running, clock } = this.#options;
    const { memory, session } = running.config;
    const agents = memory.dailyReview === undefined ? [] : running.agents.list();
    const wanted = new Set(agents.map(({ config }) => reviewId(config.id)));
    for (const { id, system } of book.list()) if (system === "review" && !wanted.has(id)) await book.remove(id);
    for (const { config } of agents) {
      const before = book.get(reviewId(config.id));
      const job = reviewJob(config.id, memory.dailyReview ?? "", {
        before,
        mainKey: session.mainKey,
        nowMs: clock.now(),
        timeZone: config.userTimezone,
      });
      if (!isDeepStrictEqual(job, before)) await book.add(job);
    }
  }

  /** The review with the owner's address, or why it is left out: nothing is asked of a model then. */
  async prepare(job: JobRecord): Promise<PreparedJob> {
    const { running, clock } = this.#options;
    const agent = running.agents.get(job.agentId)?.config;
    if (agent === undefined || running.config.memory.dailyReview === undefined) return { skip: "it is switched off" };
    if (!(await hasNewNotes(path.join(agent.workspace, NOTES_FOLDER), clock.now() - DAY_MS))) return { skip: "nothing-to-do" };
    const target = await ownerTarget({ agentId: job.agentId, target: "owner", fallback: job.authority.origin }, this.#options);
    return typeof target === "string" ? { skip: `no-route: ${target}` } : { job: { ...job, target } };
  }
}

/** True if a note of the folder has changed since then. */
async function hasNewNotes(folder: string, sinceMs: number): Promise<boolean> {
  try {
    const names = (await readdir(folder)).filter((name) => name.endsWith(".md"));
    const times = await Promise.all(names.map(async (name) => (await stat(path.join(folder, name))).mtimeMs));
    return times.some((timeMs) => timeMs > sinceMs);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return false;
    throw error;
  }
}
