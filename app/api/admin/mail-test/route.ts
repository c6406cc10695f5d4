import { route } from "#lib/http/endpoint.ts";
import { testMail } from "#lib/admin/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route({ POST: testMail });
