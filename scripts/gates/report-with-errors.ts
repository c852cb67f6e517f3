import { readFileSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { JsonReporter, type SerializedError, type TestModule, type Vitest } from "vitest/node";
import type { TestReport } from "./failed-tests.ts";

/** The JSON reporter of vitest, which leaves out what fails a run outside of its tests: errors that no test caught, and workers that ended. */
export default class ReportWithErrors extends JsonReporter {
  #file: string | undefined;

  override onInit(vitest: Vitest): void {
    super.onInit(vitest);
    const { outputFile, root } = vitest.config;
    const file = typeof outputFile === "string" ? outputFile : outputFile?.["json"];
    this.#file = file === undefined ? undefined : resolve(root, file);
  }

  override async onTestRunEnd(modules: readonly TestModule[], errors: readonly SerializedError[] = []): Promise<void> {
    await super.onTestRunEnd(modules);
    if (this.#file === undefined) return;
    const report = JSON.parse(readFileSync(this.#file, "utf8")) as TestReport;
    const unhandledErrors = errors.map(({ stack, message }) => stack ?? message);
    writeFileSync(this.#file, JSON.stringify({ ...report, unhandledErrors } satisfies TestReport));
  }
}
