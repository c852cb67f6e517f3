import { afterEach, beforeEach, expect, test } from "vitest";
import { CliHome } from "../../test/cli.ts";
import { FakeGateway } from "../../test/fake-gateway.ts";

let home: CliHome;
beforeEach(async () => {
  home = await CliHome.create();
});
afterEach(async () => home[Symbol.asyncDispose]());

const person = (senderId: string, owner: boolean): object => ({
  channel: "pigeon",
  accountId: "default",
  senderId,
  owner,
  approvedAtMs: 1,
});

async function startGateway(results: Readonly<Record<string, unknown>>): Promise<FakeGateway> {
  return FakeGateway.start(home.factotumHome, { connect: async () => true, request: async (method) => results[method] });
}

test("the list tells owners from guests", async () => {
  await using _gateway = await startGateway({ "pairing.list": { pending: [], approved: [person("carol", true), person("dan", false)] } });
  const { stdout } = await home.run("pairing", "list");
  expect(stdout).toContain('admitted  pigeon/default "carol", as an owner, ');
  expect(stdout).toContain('admitted  pigeon/default "dan", as a guest, ');
});

test.each([
  ["an approval for a guest", ["--guest"], { sender: person("carol", false), owner: false }, " as a guest", ""],
  ["a later approval", [], { sender: person("carol", false), owner: false }, " as a guest", 'access allow pigeon:default "carol" --owner'],
  ["the approval of a listed owner", [], { sender: person("carol", true), owner: false }, "", ""],
  ["the first approval", [], { sender: person("carol", true), owner: true }, "", ""],
] as const)("%s says whether the person is a guest", async (_name, flags, result, role, note) => {
  await using _gateway = await startGateway({ "pairing.approve": result });
  const { stdout, stderr } = await home.run("pairing", "approve", "K7RWQ2MX", ...flags);
  expect(stdout).toContain(`pigeon/default "carol" may talk to the assistant${role} from now on`);
  expect(stdout.includes("is the owner now")).toBe(result.owner);
  expect(stderr.includes("access allow")).toBe(note !== "");
  expect(stderr).toContain(note);
});
