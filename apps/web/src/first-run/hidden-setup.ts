const KEY = "factotum.setupCard";

/** True if the person does not want to be reminded in this browser of what can still be set up. */
export function isSetupHidden(storage: Pick<Storage, "getItem">): boolean {
  return storage.getItem(KEY) === "hidden";
}

/** Stores that. */
export function hideSetup(storage: Pick<Storage, "setItem">): void {
  storage.setItem(KEY, "hidden");
}
