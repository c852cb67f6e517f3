import type { Clock } from "@factotum/agent-contract";
import type { Diagnostic } from "vscode-languageserver-protocol";

/** Servers push in parts: this long after one, nothing more is awaited. */
const QUIET_MS = 150;
/** A push without a version, this long after the last change, is of that change. */
const CERTAIN_MS = 2_000;

/** The diagnostics that a server pushes for one open document, and for which of its versions they are. */
export class DocumentDiagnostics {
  readonly #clock: Clock;
  #version: number;
  #changedMs: number;
  #pushed: { readonly items: readonly Diagnostic[]; readonly atMs: number } | undefined;
  /** A push may still come for an earlier version, and would look like one for this version. */
  #isUncertain = false;

  constructor(clock: Clock, version: number) {
    [this.#clock, this.#version, this.#changedMs] = [clock, version, clock.monotonic()];
  }

  changed(version: number): void {
    this.#isUncertain = this.#pushed === undefined;
    [this.#version, this.#changedMs, this.#pushed] = [version, this.#clock.monotonic(), undefined];
  }

  /** True if it is for the current version. */
  push(version: number | null | undefined, items: readonly Diagnostic[]): boolean {
    const atMs = this.#clock.monotonic();
    const isCurrent = typeof version === "number" ? version === this.#version : !this.#isUncertain || atMs - this.#changedMs >= CERTAIN_MS;
    if (isCurrent) this.#pushed = { items, atMs };
    return isCurrent;
  }

  /** Those of the current version: known, still coming in, or not known yet. */
  get state():
    | { readonly type: "known"; readonly items: readonly Diagnostic[] }
    | { readonly type: "waiting"; readonly atMostMs?: number } {
    if (this.#pushed === undefined) return { type: "waiting" };
    const leftMs = this.#pushed.atMs + QUIET_MS - this.#clock.monotonic();
    return leftMs <= 0 ? { type: "known", items: this.#pushed.items } : { type: "waiting", atMostMs: Math.ceil(leftMs) };
  }
}
