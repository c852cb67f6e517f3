import type { InputRecord } from "@factotum/store";

/** What sub-agents need of the layers above; connected by the engine. */
export interface SubagentRuntime {
  /** Queues an input that is stored. */
  readonly requeue: (input: InputRecord) => Promise<void>;
  /** Queues an input that an earlier process has left waiting. */
  readonly recover: (input: InputRecord) => Promise<void>;
  /** Stops the work of a session, and calls `then` afterwards. */
  readonly stop: (sessionKey: string, reason: string, then: () => Promise<void>) => Promise<void>;
  /** The inputs that wait in a session. */
  readonly waitingInputs: (sessionKey: string) => readonly InputRecord[];
  /** Takes an input out of the queue of its session; false if it no longer waits there. It stays stored. */
  readonly withdraw: (sessionKey: string, inputId: string) => boolean;
  /** True while the session works, or work waits in it. */
  readonly isBusy: (sessionKey: string) => boolean;
  /** Does `work` behind what waits in a session now. No turn of the session begins meanwhile, so that the inputs which it queues share one. */
  readonly behind: (sessionKey: string, work: () => Promise<void>) => Promise<void>;
  /** Reports a failure, and is waited for at the end. */
  readonly inBackground: (label: string, work: Promise<unknown>) => void;
}
