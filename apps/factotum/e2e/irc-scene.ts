import { FakeIrc } from "@factotum/testing-channels";
import type { FakeIrcOptions, IrcUser } from "@factotum/testing-channels";
import { startProduct } from "@factotum/testing-product";
import type { Product } from "@factotum/testing-product";
import type { MessageReply, StrictServer } from "@factotum/testing-providers";
import { ANTHROPIC, startSceneModel } from "./scene-model.ts";

const PASSWORD = "irc-sasl-secret";

/** An IRC network with the owner and a channel, the product on it, and a model. */
export interface IrcScene extends AsyncDisposable {
  readonly irc: FakeIrc;
  readonly model: StrictServer;
  readonly product: Product;
  /** The owner, logged in as `alice`. */
  readonly alice: IrcUser;
  /** Somebody with an account, who is not admitted to direct messages. */
  readonly bob: IrcUser;
  readonly secret: string;
  /** Resolves once the network shows `count` messages of the product. */
  shown(count: number): Promise<readonly string[]>;
  /** Resolves once the product is in its channel. */
  joined(): Promise<void>;
  /** Kills the product and starts it again on the same state. */
  killAndStart(): Promise<void>;
}

/** A network and an account without a limit of lines: with it most of a test would be waiting. */
const UNLIMITED = { flood: { penaltyMs: 0, maxMs: 1 }, account: { flood: { burst: 100, intervalMs: 0 } } } as const;

/**
 * Starts the scene; the model answers every request with `reply`. `flood`: the network's limit of lines, with the account's default settings for it; by default
 * neither side has one.
 */
export async function startIrcScene(reply: () => MessageReply, { flood }: Pick<FakeIrcOptions, "flood"> = {}): Promise<IrcScene> {
  const irc = await FakeIrc.start({ accounts: { factotum: PASSWORD }, flood: flood ?? UNLIMITED.flood });
  const alice = irc.addUser("Alice", { account: "Alice" });
  const bob = irc.addUser("Bob", { account: "bob" });
  for (const user of [alice, bob]) irc.joinUser(user, "#team");
  const model = await startSceneModel(ANTHROPIC, []);
  model.respond(reply);
  const { reference, providers } = ANTHROPIC.config(model.baseUrl);
  const config = {
    agents: { defaults: { model: reference } },
    models: { providers },
    commands: { ownerAllowFrom: ["irc:account:alice"] },
    channels: {
      irc: {
        host: "127.0.0.1",
        port: irc.port,
        tls: false,
        nick: "factotum",
        sasl: { account: "factotum", password: PASSWORD },
        channels: ["#team"],
        allowFrom: ["account:alice"],
        dmPolicy: "allowlist",
        groupPolicy: "open",
        ...(flood === undefined ? UNLIMITED.account : {}),
      },
    },
  };
  let product = await startProduct({ config });
  const scene: IrcScene = {
    irc,
    model,
    alice,
    bob,
    secret: PASSWORD,
    get product() {
      return product;
    },
    async shown(count) {
      await irc.until(() => irc.messages.length >= count);
      return irc.messages.map(({ text }) => text);
    },
    joined: () => irc.until(() => irc.channel("#team").clients.size === 1),
    async killAndStart() {
      await product.end("SIGKILL");
      await irc.until(() => irc.clients.length === 0);
      product = await startProduct({ config, home: product.home });
      await scene.joined();
    },
    async [Symbol.asyncDispose]() {
      await product[Symbol.asyncDispose]();
      await model.close();
      await irc[Symbol.asyncDispose]();
    },
  };
  await scene.joined();
  return scene;
}
