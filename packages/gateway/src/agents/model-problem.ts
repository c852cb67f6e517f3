import { ModelError } from "@factotum/agent-contract";

/** What is wrong with a model's name, as `resolve` finds it; `undefined` if nothing is. Rejects with every other failure. */
export async function modelProblem(resolve: () => Promise<unknown>): Promise<string | undefined> {
  try {
    await resolve();
    return undefined;
  } catch (error) {
    if (ModelError.isInstance(error)) return error.message;
    throw error;
  }
}
