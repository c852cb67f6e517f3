import type { OptimisticWrites, PendingCommit } from "../port/optimistic-writes.ts";
import type { SqliteStoreParts } from "./sqlite-store-parts.ts";
import type { StoreCalls } from "./store-calls.ts";

/** Creates the writes that resolve before their commit. A failure of the work or of its commit is checked for signs of damage. */
export function createOptimisticWrites(
  { writer, keeper, transactions, calls }: Pick<SqliteStoreParts, "writer" | "keeper" | "transactions"> & { readonly calls: StoreCalls },
  onTurnStart: () => void,
): OptimisticWrites {
  const write = <Result>(work: () => Result): Promise<PendingCommit<Result>> =>
    calls.whileOpen(async () => {
      try {
        const written = await writer.writeOptimistic(work);
        written.committed.catch((error: unknown) => keeper.inspect(error));
        return written;
      } catch (error) {
        keeper.inspect(error);
        throw error;
      }
    });
  return {
    acceptInputOptimistic: (message, options) => write(() => transactions.acceptInput(message, options)),
    startTurnOptimistic: async (turn) => {
      const started = await write(() => transactions.startTurn(turn));
      onTurnStart();
      return started;
    },
  };
}
