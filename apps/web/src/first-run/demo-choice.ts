const KEY = "factotum.firstRun";

/** True if the person chose the demo model in this browser. */
export function staysWithDemo(storage: Pick<Storage, "getItem">): boolean {
  return storage.getItem(KEY) === "demo";
}

/** Stores that choice. */
export function stayWithDemo(storage: Pick<Storage, "setItem">): void {
  storage.setItem(KEY, "demo");
}
