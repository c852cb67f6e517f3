/** Why a request is refused, in the terms of the OpenAI API. */
export class CompletionRequestError extends Error {
  readonly status: 400 | 404 | 413;
  readonly param: string | null;
  readonly code: string | null;

  constructor(message: string, options: { readonly status: 400 | 404 | 413; readonly param: string | null; readonly code: string | null }) {
    super(message);
    this.name = "CompletionRequestError";
    this.status = options.status;
    this.param = options.param;
    this.code = options.code;
  }
}
