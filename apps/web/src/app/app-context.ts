import { createContext, useContext, useSyncExternalStore } from "react";
import type { AppSession } from "./app-session.ts";
import type { AppController } from "./app-controller.ts";
import type { AppState } from "./app-state.ts";

/** The app session, for every view. */
export const AppContext: React.Context<AppSession | undefined> = createContext<AppSession | undefined>(undefined);

/** The app session; throws outside of one. */
export function useSession(): AppSession {
  const session = useContext(AppContext);
  if (session === undefined) throw new Error("A view was drawn outside of a session.");
  return session;
}

/** The part of the state that a view shows. `select` must return the same value for the same state. */
export function useAppState<Value>(select: (state: AppState) => Value): Value {
  const { store } = useSession();
  return useSyncExternalStore(store.subscribe, () => select(store.get()));
}

/** The person's actions. */
export function useController(): AppController {
  return useSession().controller;
}
