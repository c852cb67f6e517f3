import { hash } from "node:crypto";
import type { AgentMessage } from "@factotum/agent-contract";
import { sentForm } from "@factotum/agent-core";

/**
 * Digests of message lists, to compare a rebuilt request with what was sent. Each message is hashed once: a history that grows by a turn costs that turn, not
 * the whole history.
 */
export class MessageDigests {
  readonly #known = new WeakMap<AgentMessage, string>();

  /** 16 hex digits, equal for two lists exactly if the model is given the same. */
  of(messages: readonly AgentMessage[]): string {
    // One update for all: the call costs more than hashing these few bytes. Joining strings costs less than buffers.
    const all = messages.map((message) => this.#digest(message)).join("");
    return hash("sha256", Buffer.from(all, "latin1")).slice(0, 16);
  }

  /** One character a byte. */
  #digest(message: AgentMessage): string {
    let digest = this.#known.get(message);
    if (digest === undefined) {
      digest = hash("sha256", sentForm(message), "binary");
      this.#known.set(message, digest);
    }
    return digest;
  }
}
