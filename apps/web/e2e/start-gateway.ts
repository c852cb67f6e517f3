import { fileURLToPath } from "node:url";
import { startProduct } from "@factotum/testing-product";
import { createDemoScript, type Gate } from "../test/demo-script.ts";
import { ScriptedGateway } from "../test/scripted-gateway.ts";

/** A gateway that serves the built page. */
export interface GatewayUnderTest {
  /** With a trailing slash, without the token. */
  readonly url: string;
  readonly token: string;
  close(): Promise<void>;
}

/** A gateway that tests control: it holds answers, cuts connections, and records requests. */
export interface ScriptedGatewayUnderTest extends GatewayUnderTest {
  readonly scripted: ScriptedGateway;
  readonly gate: Gate;
}

/** Starts the scripted gateway with the built page. */
export async function startScriptedGateway(): Promise<ScriptedGatewayUnderTest> {
  const { script, gate } = createDemoScript();
  const scripted = new ScriptedGateway({ script, root: fileURLToPath(new URL("../dist", import.meta.url)) });
  await scripted.listen();
  return { url: scripted.url, token: scripted.token, scripted, gate, close: () => scripted.close() };
}

/** Starts the built product for the first time: a new state directory, the demo model. */
export async function startBuiltGateway(): Promise<GatewayUnderTest> {
  const product = await startProduct();
  return { url: `${product.url}/`, token: product.token, close: async () => product[Symbol.asyncDispose]() };
}
