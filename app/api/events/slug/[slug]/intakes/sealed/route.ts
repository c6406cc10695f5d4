import { createRouteHandlers } from "#lib/http/endpoint.ts";
import { createSealedIntake } from "#lib/intake/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = createRouteHandlers({ POST: createSealedIntake });
