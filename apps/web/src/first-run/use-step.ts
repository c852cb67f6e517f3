import { useState } from "react";
import { RpcError } from "../gateway-client/rpc-error.ts";

/** The state of a step besides its fields. */
export interface Step {
  readonly isBusy: boolean;
  /** Why the last attempt failed, and what to do. */
  readonly problem: string | undefined;
  /** Runs an attempt: `action` returns the problem, or nothing. A failed request is a problem, too. */
  readonly run: (action: () => Promise<string | undefined>) => void;
}

/** Runs one attempt at a time, each with its problem. */
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
