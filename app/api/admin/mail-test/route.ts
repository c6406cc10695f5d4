import { route } from "#lib/api/endpoint.ts";
import { testMail } from "#lib/admin/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route({ POST: testMail });
