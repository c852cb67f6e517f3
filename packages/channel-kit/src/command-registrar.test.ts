import type { HostCommand } from "@factotum/channel-contract";
import { expect, test } from "vitest";
import { createTestHost } from "../test/test-host.ts";
import { createCommandRegistrar } from "./index.ts";
import type { CommandRegistrar } from "./index.ts";

const settle = async (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

class Scene {
  readonly host = createTestHost();
  commands: HostCommand[] = [{ name: "help", summary: "Show commands" }];
  /** The menu of the platform. */
  menu: readonly HostCommand[] = [];
  readonly written: (readonly HostCommand[])[] = [];
  failure: Error | undefined;
  /** Set to hold a request. */
  held: PromiseWithResolvers<void> | undefined;
  concurrent = 0;
  readonly registrar: CommandRegistrar;
  readonly #callbacks = new Set<() => void>();

  constructor() {
    const commands = {
      list: () => this.commands,
      onChange: (callback: () => void): Disposable => {
        this.#callbacks.add(callback);
        return { [Symbol.dispose]: () => void this.#callbacks.delete(callback) };
      },
    };
    const random = { float: () => 0.5, bytes: () => new Uint8Array(), uuid: () => "" };
    this.registrar = createCommandRegistrar(
      { ...this.host, commands, random },
      {
        maxCommands: 3,
        name: /^[a-z_]{1,8}$/,
        summaryLength: 10,
        read: async () => {
          this.concurrent += 1;
          expect(this.concurrent).toBe(1);
          await this.held?.promise;
          this.concurrent -= 1;
          if (this.failure !== undefined) throw this.failure;
          return this.menu;
        },
        write: async (wanted) => {
          this.written.push(wanted);
          this.menu = wanted;
          return Promise.resolve();
        },
      },
    );
  }

  async change(...commands: readonly HostCommand[]): Promise<void> {
    this.commands = [...commands];
    for (const callback of this.#callbacks) callback();
    await settle();
  }

  get health(): object {
    return this.registrar.addTo({ state: "connected" });
  }
}

test("registers on start and on a change, and only what differs", async () => {
  const scene = new Scene();
  scene.registrar.start();
  scene.registrar.start();
  await settle();
  await scene.change({ name: "help", summary: "Show commands" });
  expect(scene.written).toEqual([[{ name: "help", summary: "Show comm…" }]]);
  await scene.change({ name: "stop", summary: "Stop" });
  expect(scene.written[1]).toEqual([{ name: "stop", summary: "Stop" }]);
  expect(scene.health).toEqual({ state: "connected" });
});

test("names that the platform refuses and commands over its number are left out; a summary is cut between characters", async () => {
  const scene = new Scene();
  scene.registrar.start();
  await scene.change(
    { name: "too-dashed", summary: "x" },
    { name: "a", summary: "12345678👍9" },
    { name: "b", summary: "1234567890" },
    { name: "c", summary: "c" },
    { name: "d", summary: "d" },
  );
  expect(scene.menu).toEqual([
    { name: "a", summary: "12345678…" },
    { name: "b", summary: "1234567890" },
    { name: "c", summary: "c" },
  ]);
});

test("changes during a request are registered after it, together", async () => {
  const scene = new Scene();
  scene.held = Promise.withResolvers();
  scene.registrar.start();
  await scene.change({ name: "one", summary: "1" });
  await scene.change({ name: "two", summary: "2" });
  scene.held.resolve();
  await settle();
  expect(scene.written).toEqual([[{ name: "two", summary: "2" }]]);
});

test("a failure degrades the health and is retried with backoff", async () => {
  const scene = new Scene();
  scene.failure = new Error("too many requests");
  scene.registrar.start();
  await settle();
  expect(scene.health).toEqual({ state: "degraded", detail: "the command menu could not be registered: too many requests" });
  expect(scene.registrar.addTo({ state: "disconnected", detail: "down" })).toMatchObject({ state: "disconnected" });
  expect(scene.host.clock.pending).toEqual([1_500]);
  scene.host.clock.advance(1_500);
  await settle();
  expect(scene.host.clock.pending).toEqual([2_000]);
  scene.failure = undefined;
  scene.host.clock.advance(2_000);
  await settle();
  expect(scene.health).toEqual({ state: "connected" });
  expect(scene.written).toHaveLength(1);
});

test("a stop registers nothing more", async () => {
  const scene = new Scene();
  scene.held = Promise.withResolvers();
  scene.registrar.start();
  scene.registrar.stop();
  scene.held.resolve();
  await scene.change({ name: "one", summary: "1" });
  scene.registrar.start();
  await settle();
  expect(scene.written).toEqual([]);
  expect(scene.host.clock.pending).toEqual([]);
});
