import type { JobShape } from "@factotum/protocol";
import { expect, test } from "vitest";
import { changeOf, draftOf, scheduleOf, specOf } from "./job-draft.ts";

const FULL: JobShape = {
  name: "news",
  description: "What is new.",
  enabled: false,
  schedule: { type: "every", every: "2h", anchor: "2026-01-01T08:00" },
  payload: { type: "agentTurn", message: "Sum it up." },
  delivery: { type: "announce", to: "telegram:4711" },
  check: { type: "fileChanged", path: "inbox" },
  model: "a/b",
  thinking: "low",
  timeoutSeconds: 60,
  lightContext: true,
  tools: ["read", "web_fetch"],
  catchUp: { mode: "once", maxAge: "3h" },
  overlap: "queue",
  deleteAfterRun: true,
};
const JOBS: readonly JobShape[] = [
  FULL,
  { name: "tea", schedule: { type: "at", at: "20m" }, payload: { type: "message", text: "Tea." }, delivery: { type: "none" } },
  {
    name: "disk",
    schedule: { type: "cron", cron: "0 8 * * 1-5", timezone: "Asia/Shanghai", exact: true },
    payload: { type: "command", argv: ["df", "-h", "/"], cwd: "/srv" },
    delivery: { type: "webhook", url: "https://example.com/" },
  },
  {
    name: "bell",
    schedule: { type: "cron", cron: "* * * * *" },
    payload: { type: "systemEvent", text: "Ding.", wake: "now" },
    session: { key: "s" },
  },
];

test.each(JOBS)("the fields of $name say the same job, and nothing of it changes", (spec) => {
  const same = specOf(draftOf({ spec, agentId: "main" }), spec);
  expect(same).toEqual(spec);
  expect(changeOf(spec, same)).toEqual({ change: {}, unset: [] });
});

test("a change has the parts that differ, and those that were emptied", () => {
  const draft = {
    ...draftOf({ spec: FULL, agentId: "main" }),
    text: "All of it.",
    model: "",
    tools: " read,  ",
    report: "announce" as const,
  };
  expect(changeOf(FULL, specOf(draft, FULL))).toEqual({
    change: { payload: { type: "agentTurn", message: "All of it." }, tools: ["read"] },
    unset: ["delivery", "model"],
  });
});

test.each([
  ["argv", "git\n\ndiff\n--quiet", { type: "argv", argv: ["git", "diff", "--quiet"] }],
  ["url", " https://example.com/ ", { type: "url", url: "https://example.com/" }],
  ["fileChanged", "inbox", { type: "fileChanged", path: "inbox" }],
] as const)("a check by %s is what its field says, and goes with its choice", (check, checked, expected) => {
  const draft = { ...draftOf({ spec: FULL, agentId: "main" }), check, checked };
  expect(specOf(draft, FULL).check).toEqual(expected);
  expect(changeOf(FULL, specOf({ ...draft, check: "", checked: "" }, FULL)).unset).toEqual(["check"]);
});

test("a session that others use has no model, tools or prompt of the job's own", () => {
  const spec = specOf({ ...draftOf({ spec: FULL, agentId: "main" }), session: "main" }, FULL);
  expect(spec).toMatchObject({ session: "main", thinking: "low" });
  for (const part of ["model", "tools", "lightContext"]) expect(spec).not.toHaveProperty(part);
});

test("there is no schedule while its text is missing", () => {
  expect(scheduleOf({ ...draftOf(), when: "at" })).toBeUndefined();
  expect(scheduleOf(draftOf())).toEqual({ type: "cron", cron: "0 8 * * *" });
});
