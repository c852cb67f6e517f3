/** The vendor's documented error types. */
export type AnthropicErrorType =
  | "invalid_request_error"
  | "authentication_error"
  | "billing_error"
  | "permission_error"
  | "not_found_error"
  | "request_too_large"
  | "rate_limit_error"
  | "api_error"
  | "timeout_error"
  | "overloaded_error";

/** The body of an error response, and the data of an `error` event. */
export interface AnthropicErrorBody {
  readonly type: "error";
  readonly error: { readonly type: AnthropicErrorType; readonly message: string };
  readonly request_id: string;
}

/** The documented HTTP status of an error type. */
export const ERROR_STATUS: Readonly<Record<AnthropicErrorType, number>> = {
  invalid_request_error: 400,
  authentication_error: 401,
  billing_error: 402,
  permission_error: 403,
  not_found_error: 404,
  request_too_large: 413,
  rate_limit_error: 429,
  api_error: 500,
  timeout_error: 504,
  overloaded_error: 529,
};
