import type { CommandRequest } from "@factotum/agent-contract";
import type { PlannedNetwork, SandboxBackend, SandboxPlan } from "./sandbox-spec.ts";

/** A rewritten request. */
export interface RewrittenRequest {
  readonly request: CommandRequest;
  /** A command of the host that removes what the request may leave behind if it is killed. */
  readonly cleanUp?: CommandRequest;
}

/** A backend that was tried on this machine. */
export interface ReadyBackend {
  readonly type: "ready";
  readonly backend: SandboxBackend;
  /** Its program, for people. */
  readonly program: string;
  /** Folders of the host that it shows anyway. */
  readonly system: readonly string[];
  /** Where its commands reach a proxy. */
  readonly reachesProxyBy: PlannedNetwork["type"];
  /** A command of the host that removes what a killed gateway left. */
  readonly orphans?: CommandRequest;
  rewrite(request: CommandRequest, plan: SandboxPlan): RewrittenRequest;
}

/** Why a backend cannot be used, and what to do. */
export interface MissingBackend {
  readonly type: "missing";
  readonly backend: SandboxBackend;
  readonly reason: string;
  readonly fix: string;
}

/** The result of looking for a backend. */
export type BackendState = ReadyBackend | MissingBackend;
