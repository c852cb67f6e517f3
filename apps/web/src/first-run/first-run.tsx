import type { SetupState } from "@factotum/protocol";
import { createContext, lazy, Suspense, useContext, useEffect, useMemo, useRef, useState } from "react";
import { useAppState, useSession } from "../app/app-context.ts";
import { RpcError } from "../gateway-client/rpc-error.ts";
import { staysWithDemo } from "./demo-choice.ts";
import type { FirstStep } from "./first-step.ts";

/** Loaded on demand: most visits have a model already. */
const SetupDialog = lazy(async () => ({ default: (await import("./setup-dialog.tsx")).SetupDialog }));

/** The way to the setup. */
interface FirstRunControls {
  /** Opens it, at the choice of a provider if no other step is named. Resolves with the reason if it cannot be shown. */
  readonly open: (step?: FirstStep) => Promise<string | undefined>;
}

const FirstRunContext: React.Context<FirstRunControls | undefined> = createContext<FirstRunControls | undefined>(undefined);

/** The dialog of the setup, over every page. Without a model it opens by itself once, unless the person chose the demo. */
export function FirstRun({ children }: { readonly children: React.ReactNode }): React.JSX.Element {
  const { setup } = useSession();
  const [opened, setOpened] = useState<{ readonly state: SetupState; readonly step: FirstStep }>();
  const isConnected = useAppState(({ connection }) => connection.type === "connected");
  const hasLooked = useRef(false);
  useEffect(() => {
    if (!isConnected || hasLooked.current) return;
    hasLooked.current = true;
    setup.state().then(
      (found) => found.model.source === "demo" && !staysWithDemo(localStorage) && setOpened({ state: found, step: "provider" }),
      // Opening the setup shows the error.
      () => undefined,
    );
  }, [isConnected, setup]);
  const controls = useMemo<FirstRunControls>(
    () => ({
      open: async (step = "provider") => {
        try {
          setOpened({ state: await setup.state(), step });
          return undefined;
        } catch (error) {
          if (!(error instanceof RpcError)) throw error;
          return error.message;
        }
      },
    }),
    [setup],
  );
  return (
    <FirstRunContext value={controls}>
      {children}
      {opened === undefined ? null : (
        <Suspense fallback={null}>
          <SetupDialog {...opened} onClose={() => setOpened(undefined)} />
        </Suspense>
      )}
    </FirstRunContext>
  );
}

/** The way to the setup; throws outside of the shell. */
export function useFirstRun(): FirstRunControls {
  const controls = useContext(FirstRunContext);
  if (controls === undefined) throw new Error("The setup was opened outside of the shell.");
  return controls;
}
