import { rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { CliHome } from "../../test/cli.ts";

test.each([
  ["its lock file was moved away", ["gateway.lock"]],
  ["its lock file and its address were moved away", ["gateway.lock", "gateway.json"]],
])("a second gateway is refused although %s, and the first one goes on", async (_name, moved) => {
  await using cli = await CliHome.create();
  const first = cli.spawn("gateway", "run", "--setup", "--port", "0");
  await first.waitFor(/#token=/);
  const aside = async (from: string, to: string): Promise<void> => {
    for (const name of moved)
      await rename(join(cli.factotumHome, "state", `${name}${from}`), join(cli.factotumHome, "state", `${name}${to}`));
  };
  await aside("", ".moved");
  const second = await cli.spawn("gateway", "run", "--port", "0").ended;
  expect(second.code).toBe(1);
  expect(second.stderr).toContain(`Another gateway uses ${cli.factotumHome}`);
  expect(second.stderr).toContain(`process ${first.child.pid}).`);
  expect((await cli.run("reset", "--state", "--yes")).stderr).toContain("A gateway uses");
  await rm(join(cli.factotumHome, "state", "gateway.lock"));
  await aside(".moved", "");
  expect((await cli.run("agent", "-m", "hello")).code).toBe(0);
  first.child.kill("SIGKILL");
  await first.ended;
  const third = cli.spawn("gateway", "run", "--port", "0");
  await third.waitFor(/#token=/);
  third.child.kill("SIGTERM");
  expect((await third.ended).code).toBe(0);
});
