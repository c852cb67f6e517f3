import type { RunFacts } from "@factotum/agent-contract";

/** What the network of a sandbox reaches. */
export interface SandboxNetwork {
  /** Hosts, as `sandbox.network.allow` lists them. Asked at each request, so that a host that is taken off the list is not reached any longer. */
  readonly hosts: () => readonly string[];
}

/** The proxy of one command, which is its only way out. */
export interface CommandProxy extends AsyncDisposable {
  /** Its port on the host's loopback; 0 if it listens on a socket. */
  readonly port: number;
  /** The password that requests must bring, with the user name `factotum`. */
  readonly token: string;
  /** Why requests were refused so far, each reason once, at most 20. */
  readonly refused: () => readonly string[];
}

/** Opens the proxy of a command: on this Unix socket, or on loopback. Rejects if that is impossible. A port: the implementation is in another package. */
export type OpenCommandProxy = (
  network: SandboxNetwork,
  options: { readonly socketPath: string | undefined; readonly run: RunFacts },
) => Promise<CommandProxy>;
