import { once } from "node:events";
import { startChild } from "./child.ts";
import type { ProviderReport } from "./wire.ts";

/** The fake provider, as its parent process sees it. */
export interface Provider extends AsyncDisposable {
  readonly url: string;
  /** What it has received since the last call. */
  take(): Promise<ProviderReport>;
}

/** Starts the fake provider. */
export async function startProvider(): Promise<Provider> {
  const child = await startChild("fake-provider.ts");
  return {
    url: child.url,
    take: async () => {
      child.process.send({ type: "take" });
      const [message] = (await once(child.process, "message")) as [{ readonly report: ProviderReport }];
      return message.report;
    },
    [Symbol.asyncDispose]: child[Symbol.asyncDispose],
  };
}
