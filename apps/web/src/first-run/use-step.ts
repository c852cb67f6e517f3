import { useState } from "react";
import { RpcError } from "../gateway-client/rpc-error.ts";

/** What a step of the dialog shows beside its fields. */
export interface Step {
  readonly isBusy: boolean;
  /** Why the last try did not work, and what to do. */
  readonly problem: string | undefined;
  /** Runs a try: `action` returns what is wrong, or nothing. A request that fails is a problem, too. */
  readonly run: (action: () => Promise<string | undefined>) => void;
}

/** One try after the other, each with its problem. */
export function useStep(): Step {
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string>();
  const run = (action: () => Promise<string | undefined>): void => {
    setBusy(true);
    setProblem(undefined);
    const end = (words: string | undefined): void => {
      setProblem(words);
      setBusy(false);
    };
    action().then(end, (error: unknown) => {
      if (!(error instanceof RpcError)) throw error;
      end(error.message);
    });
  };
  return { isBusy, problem, run };
}
