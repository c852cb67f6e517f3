import type { Store } from "@factotum/store";

/** Characters of what was asked in a list. */
const MAX_ASKED_CHARS = 200;

/** The beginning of what was said in a turn, on one line; `undefined` if it is not kept any longer (14 days). */
export async function askedText(
  turnId: string,
  store: Pick<Store, "readTurn" | "readInput">,
  hide: (text: string) => string,
): Promise<string | undefined> {
  const turn = await store.readTurn(turnId);
  const inputs = await Promise.all((turn?.inputIds ?? []).map(async (id) => store.readInput(id)));
  const text = inputs.flatMap((input) => (input === undefined ? [] : [input.message.text])).join(" ");
  const line = hide(text).replaceAll(/\s+/g, " ").trim();
  if (line === "") return undefined;
  return line.length <= MAX_ASKED_CHARS ? line : `${line.slice(0, MAX_ASKED_CHARS - 1).toWellFormed()}…`;
}
