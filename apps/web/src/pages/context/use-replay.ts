import type { ReplayResult } from "@factotum/protocol";
import { useEffect, useRef, useState } from "react";
import { useSession } from "../../app/app-context.ts";
import { randomId } from "../../app/random-id.ts";
import { RpcError } from "../../gateway-client/rpc-error.ts";

/** Milliseconds: models think for minutes. */
const REPLAY_MS = 15 * 60_000;

/** A request that is sent again. */
export type Replay =
  | { readonly type: "idle" }
  | { readonly type: "running"; readonly text: string }
  | { readonly type: "failed"; readonly message: string }
  | { readonly type: "done"; readonly result: ReplayResult };

/** Sends a stored request again and collects the answer while it is written. What comes after the page was left is dropped. */
export function useReplay(sessionKey: string, id: string): { readonly replay: Replay; readonly start: (model: string) => Promise<void> } {
  const { client } = useSession();
  const [replay, setReplay] = useState<Replay>({ type: "idle" });
  const current = useRef<string>(undefined);
  useEffect(() => () => void (current.current = undefined), []);
  const start = async (model: string): Promise<void> => {
    const replayId = randomId();
    current.current = replayId;
    const show = (next: Replay): void => {
      if (current.current === replayId) setReplay(next);
    };
    let text = "";
    show({ type: "running", text });
    const end = client.onEvent((event) => {
      if (event.type !== "replay" || event.payload.replayId !== replayId || event.payload.block !== "text") return;
      text += event.payload.text;
      show({ type: "running", text });
    });
    try {
      show({ type: "done", result: await client.request("context.replay", { sessionKey, id, model, replayId }, { timeoutMs: REPLAY_MS }) });
    } catch (error) {
      if (!(error instanceof RpcError)) throw error;
      show({ type: "failed", message: error.message });
    } finally {
      end();
    }
  };
  return { replay, start };
}
