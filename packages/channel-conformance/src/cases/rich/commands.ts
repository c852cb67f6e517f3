import assert from "node:assert/strict";
import type { ConformanceCase, World } from "../../case.ts";
import type { TestEvent } from "../../platform.ts";
import type { MsgContext } from "@factotum/channel-contract";
import { driverOf } from "./driver-of.ts";

async function deliver({ platform, channel, host }: World, event: TestEvent): Promise<MsgContext> {
  assert.equal(await platform.deliver(channel, event), "acknowledged");
  const received = host.received.at(-1);
  assert.ok(received, "the event is passed on");
  return received;
}

/** Slash commands of the platform, and its menu. */
export const COMMAND_CASES: readonly ConformanceCase[] = [
  {
    id: "command:native",
    needs: ["native-commands"],
    behaviour: "A command of the platform is a message with its name, without a slash, and its arguments unchanged.",
    async prove(world) {
      const event = driverOf(world.platform, "command")({ name: "think", argumentsText: "high  now" });
      const { command, event: type, sender } = await deliver(world, event);
      assert.deepEqual([command?.name, command?.argumentsText], ["think", "high  now"]);
      assert.equal(type.type, "message");
      assert.equal(sender.id, event.expected.senderId);
    },
  },
  {
    id: "command:plain",
    needs: ["native-commands"],
    behaviour: "An ordinary text is no command.",
    async prove(world) {
      assert.equal((await deliver(world, world.event({ text: "think high" }))).command, undefined);
    },
  },
  {
    id: "command:or-text",
    needs: ["command-or-text"],
    behaviour: "Words after a command that takes messages too may be a command: they are passed on as both.",
    async prove(world) {
      const type = driverOf(world.platform, "commandOrText");
      const words = await deliver(world, type("trust  me"));
      assert.deepEqual(words.command, { name: "trust", argumentsText: "me", mayBeText: true });
      assert.equal(words.text, "trust  me");
    },
  },
  {
    id: "command:or-text-slash",
    needs: ["command-or-text"],
    behaviour: "A word with a slash after such a command is a command, whether or not the gateway has it.",
    async prove(world) {
      const { command } = await deliver(world, driverOf(world.platform, "commandOrText")("/roll 2"));
      assert.deepEqual(command, { name: "roll", argumentsText: "2" });
    },
  },
  {
    id: "command:menu",
    needs: ["menu"],
    behaviour: "The platform's menu has the gateway's commands after the start.",
    async prove({ platform, host }) {
      await driverOf(platform, "menuSet")(1);
      assert.deepEqual(driverOf(platform, "menu")(), names(host.commands.list()));
    },
  },
  {
    id: "command:menu-change",
    needs: ["menu"],
    behaviour: "The menu follows a change of the gateway's commands.",
    async prove({ platform, host }) {
      const menuSet = driverOf(platform, "menuSet");
      await menuSet(1);
      host.setCommands([{ name: "status", summary: "Show the state" }]);
      await menuSet(2);
      assert.deepEqual(driverOf(platform, "menu")(), ["status"]);
    },
  },
];

function names(commands: readonly { readonly name: string }[]): readonly string[] {
  return commands.map(({ name }) => name);
}
