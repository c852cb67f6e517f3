import { checkMistralSchema } from "./check-mistral-schema.ts";
import { checkOfficialTypes, type OfficialComplaint, type OfficialSubject } from "./check-official-types.ts";

/**
 * Checks recorded bodies of any wire format against the official SDKs: Mistral's by its schemas, the others by compiling them together. Equal bodies are
 * checked once.
 *
 * @throws Error when the compiler itself fails.
 */
export async function checkOfficialRequests(subjects: readonly OfficialSubject[]): Promise<readonly OfficialComplaint[]> {
  const firsts = new Map<string, number>();
  for (const [index, { format, body }] of subjects.entries()) {
    const key = `${format} ${JSON.stringify(body)}`;
    if (!firsts.has(key)) firsts.set(key, index);
  }
  const indexes = [...firsts.values()];
  const typed = indexes.filter((index) => subjects[index]?.format !== "mistral");
  const complaints = typed.length === 0 ? [] : await checkOfficialTypes(typed.flatMap((index) => subjects[index] ?? []));
  const byTypes = complaints.map(({ index, message }) => ({ index: typed[index] ?? index, message }));
  const bySchema = await Promise.all(
    indexes.map(async (index) => {
      const subject = subjects[index];
      const message = subject?.format === "mistral" ? await checkMistralSchema(subject.body) : undefined;
      return message === undefined ? [] : [{ index, message }];
    }),
  );
  return [...byTypes, ...bySchema.flat()].toSorted((left, right) => left.index - right.index);
}
