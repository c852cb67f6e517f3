import { setConfigValue } from "../src/index.ts";

/** Increments the port in the configuration of a state directory until it is killed, and reports each written number. */
const [home = "", from = ""] = process.argv.slice(2);
for (let port = Number(from) + 1; ; port += 1) {
  const { type } = await setConfigValue("gateway.port", port, { env: { HOME: home, FACTOTUM_HOME: home }, channels: [] });
  if (type !== "written") throw new Error(`${port}: ${type}`);
  process.stdout.write(`${port}\n`);
}
