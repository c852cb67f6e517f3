import type { JobOccurrence, JobSpec, JobView } from "@factotum/agent-contract";
import type { JobShape, JobSummary, OccurrenceShape, OptionalJobPart } from "@factotum/protocol";
import { expectTypeOf, test } from "vitest";

type OptionalKey<Type> = { [Key in keyof Type]-?: object extends Pick<Type, Key> ? Key : never }[keyof Type];

// The compiler checks these: packages of the lowest layer do not import each other, so that each has its own declaration.
test("a job is the same for clients and for tools", () => {
  expectTypeOf<JobShape>().toEqualTypeOf<JobSpec>();
  expectTypeOf<JobSummary>().toEqualTypeOf<JobView>();
  expectTypeOf<OccurrenceShape>().toEqualTypeOf<JobOccurrence>();
  // `enabled` is changed back by its value.
  expectTypeOf<OptionalJobPart>().toEqualTypeOf<Exclude<OptionalKey<JobSpec>, "enabled">>();
});
