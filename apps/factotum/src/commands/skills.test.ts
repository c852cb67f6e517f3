import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { CliHome } from "../../test/cli.ts";

interface Listed {
  readonly skills: readonly { readonly name: string; readonly state: string }[];
}

test("skills list and check know the agent's allow list, and say which tools only a running gateway knows", async () => {
  await using cli = await CliHome.create();
  await mkdir(cli.factotumHome, { recursive: true });
  await writeFile(
    join(cli.factotumHome, "factotum.json5"),
    JSON.stringify({ agents: { defaults: { skills: { allow: ["baker", "timer"] } } } }),
  );
  for (const [name, more] of [
    ["baker", ""],
    ["cleaner", ""],
    ["timer", "metadata: { factotum: { requires: { tools: [cron] } } }\n"],
  ] as const) {
    await mkdir(join(cli.factotumHome, "workspace/skills", name), { recursive: true });
    await writeFile(
      join(cli.factotumHome, "workspace/skills", name, "SKILL.md"),
      `---\nname: ${name}\ndescription: The skill ${name}.\n${more}---\n\nDo it.\n`,
    );
  }
  const { skills } = JSON.parse((await cli.run("skills", "list", "--json")).stdout) as Listed;
  expect(Object.fromEntries(skills.map(({ name, state }) => [name, state]))).toMatchObject({
    baker: "ready",
    cleaner: "is not in skills.allow of the agent",
    timer: "where the gateway has the tool cron; it is not running",
  });
  expect((await cli.run("skills", "check", "cleaner")).stdout).toBe("warning  cleaner is not in skills.allow of the agent\n");
});
