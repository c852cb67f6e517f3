import type { MsgContext } from "@factotum/channel-contract";
import type { InputAdmission } from "./inbox-records.ts";

/** A command that was left running in the background of a session. */
export interface CommandRecord {
  readonly id: string;
  readonly sessionKey: string;
  /** The shell line. */
  readonly text: string;
  readonly startedAtMs: number;
  /** The input that reports its end; its text is written then. */
  readonly report: { readonly message: MsgContext; readonly admission: InputAdmission };
}

/** Background commands whose end has not been reported yet. */
export interface CommandStore {
  /** Rejects with `conflict` if there is one with this id. */
  addCommand(command: CommandRecord): Promise<void>;
  /** Oldest first. A damaged one is excluded and reported. */
  listCommands(): Promise<readonly CommandRecord[]>;
  /** No-op if there is none. */
  removeCommand(id: string): Promise<void>;
}
