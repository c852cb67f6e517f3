import { hash } from "node:crypto";
import type { AgentMessage } from "@factotum/agent-contract";
import { sentForm } from "@factotum/agent-core";

/**
 * Digests of message lists, to compare a rebuilt request with what was sent. Each message is hashed once: a history that grows by a turn costs that turn, not
 * the whole history.
 */
export class MessageDigests {
  readonly #known = new WeakMap<AgentMessage, Buffer>();

  /** 16 hex digits, equal for two lists exactly if the model is given the same. */
  of(messages: readonly AgentMessage[]): string {
    // One update for all: the call costs more than hashing these few bytes.
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
