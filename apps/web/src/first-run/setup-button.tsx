import type { SetupState } from "@factotum/protocol";
import { lazy, Suspense, useEffect, useRef, useState } from "react";
import { RpcError } from "../gateway-client/rpc-error.ts";
import { useAppState, useSession } from "../views/app-context.ts";
import { Icon } from "../views/icon.tsx";
import { staysWithDemo } from "./demo-choice.ts";

/** Loaded on demand: most visits have a model already. */
const SetupDialog = lazy(async () => ({ default: (await import("./setup-dialog.tsx")).SetupDialog }));

/** Opens the settings. Without a model they open by themselves once, unless the person chose the demo. */
export function SetupButton(): React.JSX.Element {
  const { setup } = useSession();
  const [state, setState] = useState<SetupState>();
  const [problem, setProblem] = useState<string>();
  const isConnected = useAppState(({ connection }) => connection.type === "connected");
  const hasLooked = useRef(false);
  useEffect(() => {
    if (!isConnected || hasLooked.current) return;
    hasLooked.current = true;
    setup.state().then(
      (found) => found.model.source === "demo" && !staysWithDemo(localStorage) && setState(found),
      // Opening the settings shows the error.
      () => undefined,
    );
  }, [isConnected, setup]);
  const open = (): void => {
    setProblem(undefined);
    setup.state().then(setState, (error: unknown) => {
      if (!(error instanceof RpcError)) throw error;
      setProblem(error.message);
    });
  };
  return (
    <>
      <button type="button" className="icon-button" aria-label="Settings" title="Settings" aria-haspopup="dialog" onClick={open}>
        <Icon name="gear" />
      </button>
      {problem === undefined ? null : (
        <span className="setup-problem" role="alert">
          {problem}
        </span>
      )}
      {state === undefined ? null : (
        <Suspense fallback={null}>
          <SetupDialog state={state} onClose={() => setState(undefined)} />
        </Suspense>
      )}
    </>
  );
}
