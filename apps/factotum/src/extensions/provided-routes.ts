import type { DeclaredRoute } from "@factotum/plugin-host";
import * as z from "zod";

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;
const MAX_ROUTES = 50;

/** The routes of a plugin below `/plugins/<id>`: static paths, or a path and everything below it (`/files/*`). */
export const RoutesSchema: z.ZodType<readonly DeclaredRoute[]> = z
  .array(
    z.object({
      method: z.enum(METHODS, `one of ${METHODS.join(", ")} is expected`),
      path: z
        .string("a text is expected")
        .regex(
          /^(?:\/|(?:\/[\w.~-]+)+(?:\/\*)?|\/\*)$/,
          'a path such as "/report" is expected, with letters, digits and . _ ~ -, or /* at its end',
        )
        .refine((path) => !path.split("/").some((part) => part === "." || part === ".."), "a path has no parts . and ..")
        .max(200, "at most 200 characters are allowed"),
      public: z.boolean("true or false is expected").default(false),
    }),
    "a list is expected",
  )
  .min(1, "the list is empty")
  .max(MAX_ROUTES, `at most ${MAX_ROUTES} routes are allowed`)
  .refine(
    (routes) => new Set(routes.map(({ method, path }) => `${method} ${path}`)).size === routes.length,
    "a method and a path are listed twice",
  );

/** A route in a few words: `GET /report`, `public POST /hook`. */
export function describeRoute({ method, path, public: isPublic }: DeclaredRoute): string {
  return `${isPublic ? PUBLIC : ""}${method} ${path}`;
}

/** Those of `after` that are new, or public and were not: described routes. */
export function addedRoutes(before: readonly string[], after: readonly string[]): readonly string[] {
  return after.filter((route) => !before.includes(route) && !before.includes(`${PUBLIC}${route}`));
}

/** Whether everyone may use a described route. */
export function isPublicRoute(route: string): boolean {
  return route.startsWith(PUBLIC);
}

const PUBLIC = "public ";
