const KEY = "factotum.firstRun";

/** True if the person has chosen to stay with the demo model in this browser. */
export function staysWithDemo(storage: Pick<Storage, "getItem">): boolean {
  return storage.getItem(KEY) === "demo";
}

/** Remembers that choice. */
export function stayWithDemo(storage: Pick<Storage, "setItem">): void {
  storage.setItem(KEY, "demo");
}
