import { useEffect, useState } from "react";
import type { repairMarkdown } from "./repair-markdown.ts";

type Repair = typeof repairMarkdown;

let loaded: Repair | undefined;
let loading: Promise<Repair | undefined> | undefined;

/** Loads what closes the marks of an unfinished text, once. Without a connection there is nothing, and the next call tries again. */
export async function loadRepair(): Promise<Repair | undefined> {
  loading ??= import("./repair-markdown.ts").then(
    (module) => (loaded = module.repairMarkdown),
    () => (loading = undefined),
  );
  return loading;
}

/** What closes the marks of an unfinished text, as soon as it is loaded; no text waits for it. */
export function useRepair(isNeeded: boolean): Repair | undefined {
  const [repair, setRepair] = useState(() => loaded);
  useEffect(() => {
    if (!isNeeded || repair !== undefined) return undefined;
    let isGone = false;
    void loadRepair().then((found) => {
      if (!isGone) setRepair(() => found);
    });
    return () => {
      isGone = true;
    };
  }, [isNeeded, repair]);
  return repair;
}
