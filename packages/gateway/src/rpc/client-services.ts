import type { Clock, Logger, Random } from "@factotum/agent-contract";
import type { ChannelStatus, ConfigReloadResult, GatewayWarning, RpcMethod } from "@factotum/protocol";
import type { ApprovalService } from "../approvals/approval-service.ts";
import type { SessionEvents } from "../events/session-events.ts";
import type { Authenticator } from "../access/credentials.ts";
import type { DeadLetterChanges } from "../storage/dead-letter-changes.ts";
import type { StorageGuard } from "../storage/storage-guard.ts";
import type { FileChanges } from "../workspace/file-changes.ts";
import type { RpcHandlers } from "./rpc-handlers.ts";

/** The dependencies of client connections. */
export interface ClientServices {
  readonly handlers: RpcHandlers;
  readonly authenticator: Authenticator;
  readonly storage: Pick<StorageGuard, "problem">;
  readonly events: SessionEvents;
  readonly approvals: Pick<ApprovalService, "onWaitingChange">;
  /** Tells that a job has changed or has run. */
  readonly jobs: { onChange(listener: () => void): Disposable };
  /** Tells that a note of an agent has changed. */
  readonly notes: { onChange(listener: (agentId: string) => void): Disposable };
  /** Tells that files of an agent have changed. */
  readonly files: Pick<FileChanges, "onChange" | "announce">;
  /** Is told of every request that was answered. */
  readonly answered: (method: RpcMethod, params: object) => void;
  /** Tells of a configuration that was applied, or could not be. */
  readonly configControl: { onChange(listener: (result: ConfigReloadResult) => void): Disposable };
  readonly deadLetters: Pick<DeadLetterChanges, "onChange">;
  /** The current warnings; cheap. */
  readonly warnings: () => readonly GatewayWarning[];
  /** The codes of people who ask to be admitted; cheap. */
  readonly pairingCodes: () => readonly string[];
  /** The health of every account; cheap. */
  readonly channels: () => readonly ChannelStatus[];
  readonly version: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}
