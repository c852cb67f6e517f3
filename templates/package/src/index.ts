export { createSamplePart } from "./create-sample-part.ts";
export type { SamplePart } from "./create-sample-part.ts";
