import { hash } from "node:crypto";
import type { AgentMessage } from "@factotum/agent-contract";
import { sentForm } from "@factotum/agent-core";

/**
 * Fingerprints of message lists, so that a request that is rebuilt later can be compared with what was sent. Each message is read once: a history that
 * grows by a turn costs the turn, not the history.
 */
export class MessageDigests {
  readonly #known = new WeakMap<AgentMessage, Buffer>();

  /** 16 hex digits; equal for two lists exactly when the same goes to the model. */
  of(messages: readonly AgentMessage[]): string {
    // One update for all: each call of it costs more than what it is given here.
    const all = Buffer.concat(messages.map((message) => this.#digest(message)));
    return hash("sha256", all).slice(0, 16);
  }

  #digest(message: AgentMessage): Buffer {
    let digest = this.#known.get(message);
    if (digest === undefined) {
      digest = hash("sha256", sentForm(message), "buffer");
      this.#known.set(message, digest);
    }
    return digest;
  }
}
