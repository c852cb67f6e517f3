import { pathToFileURL } from "node:url";
import { Worker } from "node:worker_threads";
import { RpcError, type ForgetService } from "@factotum/gateway";
import type { MemoryForgetScope } from "@factotum/protocol";
import { assetPath, IS_BUILT } from "../runtime/assets.ts";
import { CliError } from "../runtime/cli-error.ts";
import type { CliContext } from "../runtime/cli-context.ts";
import { systemClock } from "../runtime/system-clock.ts";
import { writeForgotten } from "../forget/forgotten-list.ts";
import type { ForgetJob, ForgetPlan } from "../forget/plan-forgetting.ts";

/** What the service needs of its process. */
export interface ForgetServiceOptions extends Pick<CliContext, "paths" | "env"> {
  /** Rejects with a `CliError` if the next start would be refused. */
  readonly requireStart: () => Promise<void>;
  readonly restart: () => Promise<void>;
}

/** Forgets while a gateway runs: a thread looks at a copy of the database, and what is decided is forgotten by the next start. One question at a time. */
export function createForgetService({ paths, env, requireStart, restart }: ForgetServiceOptions): ForgetService {
  let last: Promise<unknown> = Promise.resolve();
  const next = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    const result = last.then(work);
    last = result.catch(() => undefined);
    return result;
  };
  const plan = async (scope: MemoryForgetScope): Promise<ForgetPlan> => planInThread({ paths, env, scope, nowMs: systemClock.now() });
  return {
    plan: async (scope) => next(async () => (await plan(scope)).report),
    forget: async (scope) =>
      next(async () => {
        try {
          await requireStart();
        } catch (error) {
          if (!(error instanceof CliError)) throw error;
          throw new RpcError("unavailable", `The gateway could not start again: ${error.message}`, { cause: error });
        }
        const { tombstone, report } = await plan(scope);
        if (report.type === "nothing") return report;
        await writeForgotten(paths.home, [tombstone]);
        await restart();
        return { ...report, type: "restarting" };
      }),
  };
}

/** Rejects with what the thread failed of. */
async function planInThread(job: ForgetJob): Promise<ForgetPlan> {
  const worker = new Worker(pathToFileURL(assetPath("forget-worker")), {
    workerData: job,
    execArgv: IS_BUILT ? [] : ["--conditions=factotum-source"],
  });
  const { promise, resolve, reject } = Promise.withResolvers<ForgetPlan>();
  worker
    .once("message", resolve)
    .once("error", reject)
    .once("exit", () => reject(new Error("The thread that looks for what would be forgotten ended without a result.")));
  return promise;
}
