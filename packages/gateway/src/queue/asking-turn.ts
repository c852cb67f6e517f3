import type { InboxStore, InputRecord, TurnRecord, TurnStore } from "@factotum/store";

/** A turn with the inputs that it answers. */
export interface AskingTurn {
  readonly turn: TurnRecord;
  /** The first of them: what it was admitted with is the authority of the turn. */
  readonly lead: InputRecord;
  readonly inputs: readonly InputRecord[];
}

/** The turn of a run, as it is stored; `undefined` for a run that no input has asked for. */
export async function readAskingTurn(
  runId: string,
  store: Pick<InboxStore, "readInput"> & Pick<TurnStore, "readTurn">,
): Promise<AskingTurn | undefined> {
  const turn = await store.readTurn(runId);
  const inputs = turn === undefined ? [] : await readInputs(turn, store);
  const [lead] = inputs;
  return turn === undefined || lead === undefined ? undefined : { turn, lead, inputs };
}

/** The committed inputs of a turn. */
export async function readInputs(
  { inputIds }: Pick<TurnRecord, "inputIds">,
  store: Pick<InboxStore, "readInput">,
): Promise<readonly InputRecord[]> {
  return (await Promise.all(inputIds.map(async (id) => store.readInput(id)))).filter((input) => input !== undefined);
}
