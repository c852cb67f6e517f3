import type { AppSession } from "../../app/app-session.ts";
import { RpcError } from "../../gateway-client/rpc-error.ts";

/** The id of the model request that an answer of the open conversation came from. `undefined` without a record of it, or with an alert that says why. */
export async function findRequest(
  { client, store }: Pick<AppSession, "client" | "store">,
  answer: { readonly entryId: string; readonly timestampMs: number },
): Promise<string | undefined> {
  const { sessionKey } = store.get();
  try {
    const { requests } = await client.request("messages.trace", {
      entryId: answer.entryId,
      ...(sessionKey !== undefined && { sessionKey }),
    });
    return (requests.findLast(({ sentAtMs }) => sentAtMs <= answer.timestampMs) ?? requests.at(-1))?.id;
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    if (error.code !== "disconnected") store.update({ alert: error.message });
    return undefined;
  }
}
